import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { expect, test } from 'vitest'
import { paths, readText } from './tree.ts'

const { version } = JSON.parse(readText('package.json'))

test('CHANGELOG.md and the lockfile have the version of package.json', () => {
  const released = /^## \[(\d+\.\d+\.\d+)\]/m.exec(readText('CHANGELOG.md'))?.[1]
  const lock = JSON.parse(readText('package-lock.json'))

  expect([released, lock.version]).toEqual([version, version])
})

test('the OpenAPI documents have the versions of their APIs', () => {
  const documents = paths.filter((path) => /^docs\/openapi\/[\w-]+\.json$/.test(path))
  const documented = documents.map((path) => {
    const { info } = JSON.parse(readText(path))
    return [path.slice('docs/openapi/'.length, -'.json'.length), info.version]
  })
  // the internal API has no document
  const { 'driver-sources': _, ...published } = interfaceVersions

  expect(Object.fromEntries(documented)).toEqual(published)
})
