import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { breakingChanges } from '../stack/breaking-changes.ts'
import { paths, readText, root } from './tree.ts'

const release = readText('.ci/previous-release').trim()
const documents = paths.filter((path) => /^docs\/openapi\/[\w-]+\.json$/.test(path))

/**
 * The breaking changes since the previous release. docs/upgrading.md tells callers what to do about each. Remove them
 * when .ci/previous-release names the release that has them.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {
  'docs/openapi/administration.json': [
    // renamed operations
    ...[
      'get /administration/v1/print-runs',
      'post /administration/v1/print-runs/{batchNumber}/move',
      'post /administration/v1/print-runs/{batchNumber}/postings',
      'post /administration/v1/print-runs/{batchNumber}/close',
      'get /administration/v1/reprints',
      'post /administration/v1/print-jobs/search',
      'get /administration/v1/print-jobs/{printJobKey}',
      'get /administration/v1/print-jobs/{printJobKey}/proof.pdf',
      'get /administration/v1/print-jobs/{printJobKey}/proof/{page}.png',
      'post /administration/v1/print-jobs/{printJobKey}/hold',
      'post /administration/v1/print-jobs/{printJobKey}/release',
      'get /administration/v1/callbacks',
      'get /administration/v1/callbacks/{callbackId}',
      'post /administration/v1/callbacks/{callbackId}/replay',
      'post /administration/v1/callbacks/replay',
    ].map((operation) => `${operation}: operationId changed`),
    // the document of the release did not name the session of the console
    'get /administration/v1/sessions: needs other credentials',
    // an unknown filter is refused
    'post /administration/v1/print-jobs/search: narrower',
    // explicit choices and confirmations
    'post /administration/v1/recalls/{recallId}/settle.tooLate: narrower',
    // renamed queues
    ...['pause', 'resume', 'drain', 'redrive'].flatMap((action) =>
      ['quarantine', 'validate'].map(
        (queue) => `post /administration/v1/queues/{queue}/${action} ?queue: ${queue} refused`,
      ),
    ),
  ],
  // The documents of the release said that these responses were JSON. They never were.
  'docs/openapi/fulfilment.json': ['documents.zip', 'print-stream.pdf', 'template-data'].map(
    (file) =>
      `get /print-fulfilment/v1/print-runs/{batchNumber}/fulfilment-jobs/{fulfilmentJobId}/${file} 200: application/json removed`,
  ),
  'docs/openapi/uat.json': [
    ...[204, 307].map((status) => `${status}: application/json removed`),
    '400: alternatives changed',
    ...[410, 429, 500].map((status) => `${status}: application/json removed`),
  ].map((change) => `post /uat/receiver/{behaviour} ${change}`),
}

test.each(documents)('%s breaks no caller of the previous release', (path) => {
  const released = JSON.parse(readReleased(path))

  const changes = breakingChanges(released, JSON.parse(readText(path)))

  expect(changes.toSorted()).toEqual((accepted[path] ?? []).toSorted())
})

function readReleased(path: string): string {
  try {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 100 * 1024 ** 2 } as const
    return execFileSync('git', ['show', `${release}:${path}`], options)
  } catch (cause) {
    const hint = 'fetch the history of this clone with "git fetch --unshallow"'
    throw new Error(`The previous release has no ${path}: ${hint}, or the document is new`, {
      cause,
    })
  }
}
