import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { documentChanges } from '../stack/breaking-changes.ts'
import { paths, readText, root } from './tree.ts'

const release = readText('.ci/previous-release').trim()
const isDocument = (path: string) => /^docs\/openapi\/[\w-]+\.json$/.test(path)

/**
 * The breaking changes since the previous release, with what was and what is. docs/upgrading.md tells callers what to do
 * about each. Remove them when .ci/previous-release names the release that has them.
 */
const accepted: Readonly<Record<string, readonly string[]>> = {
  'docs/openapi/administration.json': [
    // renamed operations
    ...Object.entries({
      'get /administration/v1/callbacks/{callbackId}': 'getAnyCallback → getCallback',
      'get /administration/v1/callbacks': 'listAllCallbacks → listCallbacks',
      'get /administration/v1/print-jobs/{printJobKey}/proof.pdf': 'showAnyProof → getProofByKey',
      'get /administration/v1/print-jobs/{printJobKey}/proof/{page}.png':
        'showAnyProofPage → getProofPageByKey',
      'get /administration/v1/print-jobs/{printJobKey}': 'showPrintJob → getPrintJobByKey',
      'get /administration/v1/print-runs': 'listAllPrintRuns → listPrintRuns',
      'get /administration/v1/reprints': 'listAllReprints → listReprints',
      'post /administration/v1/callbacks/replay': 'replayAllCallbacks → replayCallbacks',
      'post /administration/v1/callbacks/{callbackId}/replay': 'replayAnyCallback → replayCallback',
      'post /administration/v1/print-jobs/search': 'findPrintJobs → listPrintJobs',
      'post /administration/v1/print-jobs/{printJobKey}/hold':
        'holdAnyPrintJob → holdPrintJobByKey',
      'post /administration/v1/print-jobs/{printJobKey}/release':
        'releaseAnyPrintJob → releasePrintJobByKey',
      'post /administration/v1/print-runs/{batchNumber}/close':
        'closeAnyPrintRun → closePrintRunOnBehalf',
      'post /administration/v1/print-runs/{batchNumber}/move': 'movePrintRun → reassignPrintRun',
      'post /administration/v1/print-runs/{batchNumber}/postings': 'postInStead → postOnBehalf',
    }).map(([operation, change]) => `${operation}: operationId changed: ${change}`),
    // the document of the release did not name the session of the console
    'get /administration/v1/sessions: needs other credentials: none → [{"session":[],"console":[]}]',
    // an unknown filter is refused
    'post /administration/v1/print-jobs/search: narrower: additionalProperties: none → false',
    // explicit choices and confirmations
    'post /administration/v1/recalls/{recallId}/settle.tooLate: narrower: minItems: none → 1',
    // renamed queues
    ...['pause', 'resume', 'drain', 'redrive'].flatMap((action) =>
      ['quarantine', 'validate'].map(
        (queue) => `post /administration/v1/queues/{queue}/${action} ?queue: ${queue} refused`,
      ),
    ),
    ...[
      'get /administration/v1/queues 200.queues[].queue',
      ...['pause', 'resume', 'drain', 'redrive'].map(
        (action) => `post /administration/v1/queues/{queue}/${action} 200.queue`,
      ),
    ].map(
      (place) =>
        `${place}: replaced: ["quarantine","validate","callback"] → ["letters","slow","callback"]`,
    ),
  ],
  // The documents of the release said that these responses were JSON. They never were.
  'docs/openapi/fulfilment.json': ['documents.zip', 'print-stream.pdf', 'template-data'].map(
    (file) =>
      `get /print-fulfilment/v1/print-runs/{batchNumber}/fulfilment-jobs/{fulfilmentJobId}/${file} 200: application/json removed`,
  ),
  'docs/openapi/uat.json': [
    ...[204, 307].map((status) => `${status}: application/json removed`),
    '400: alternatives changed: {"type":"string","enum":[""]} → 4866e936bbf71e99',
    ...[410, 429, 500].map((status) => `${status}: application/json removed`),
  ].map((change) => `post /uat/receiver/{behaviour} ${change}`),
}

test('the documents break no caller of the previous release', () => {
  const released = execGit('ls-tree', '--name-only', release, 'docs/openapi/').split('\n')
  const read = (listed: readonly string[], textOf: (path: string) => string) =>
    Object.fromEntries(listed.filter(isDocument).map((path) => [path, JSON.parse(textOf(path))]))

  const changes = documentChanges(
    read(released, (path) => execGit('show', `${release}:${path}`)),
    read(paths, readText),
  )

  const sorted = Object.entries(accepted).map(([path, each]) => [path, each.toSorted()])
  expect(changes).toEqual(Object.fromEntries(sorted))
})

function execGit(...command: string[]): string {
  try {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 100 * 1024 ** 2 } as const
    return execFileSync('git', command, options)
  } catch (cause) {
    const hint = 'fetch the history of this clone with "git fetch --unshallow"'
    throw new Error(`The previous release ${release} cannot be read: ${hint}`, { cause })
  }
}
