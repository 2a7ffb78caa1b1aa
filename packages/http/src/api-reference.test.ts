import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createApiReference } from './api-reference.ts'

const bundle = '/docs/swagger-ui-bundle.js'

test('has the page at both addresses, and nothing else below /docs', async () => {
  const reference = createApiReference(['/things'])

  const pages = await Promise.all(['/docs', '/docs/'].map((path) => reference(path, {})))

  expect(pages.map((page) => page?.content?.toString())).toEqual([
    expect.stringContaining('<!doctype html>'),
    pages[0]!.content!.toString(),
  ])
  expect(reference('/docs/package.json', {})).toBeUndefined()
})

test.each(['gzip', 'br, gzip;q=0.8', 'deflate, GZIP ; q=1.0'])(
  'compresses a file for a caller that accepts %s',
  async (encodings) => {
    const read = async () => 'const swagger = 1'

    const answer = await createApiReference([], { read })(bundle, { 'accept-encoding': encodings })

    expect(answer!.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(answer!.headers['content-length']).toBe(answer!.content!.length)
    expect(gunzipSync(answer!.content!).toString()).toBe('const swagger = 1')
  },
)

test.each([undefined, 'br', 'gzip;q=0', 'gzip;q=0.0, br', 'x-gzipped'])(
  'does not compress a file for a caller that accepts %s',
  async (encodings) => {
    const read = async () => 'const swagger = 1'
    const asked = encodings === undefined ? {} : { 'accept-encoding': encodings }

    const answer = await createApiReference([], { read })(bundle, asked)

    expect(answer!.headers).not.toHaveProperty('content-encoding')
    expect(answer!.content!.toString()).toBe('const swagger = 1')
  },
)

test('sends nothing to a caller that has the file, however it names that', async () => {
  const reference = createApiReference([])
  const { etag } = (await reference('/docs', {}))!.headers
  const strong = String(etag).replace('W/', '')
  const statusOf = async (ifNoneMatch: string) =>
    (await reference('/docs', { 'if-none-match': ifNoneMatch }))!.status

  const known = await Promise.all([`${etag}`, strong, `"other", ${etag}`, '*'].map(statusOf))

  expect(known).toEqual([304, 304, 304, 304])
  expect(await statusOf('"other"')).toBe(200)
})

test('reads a file once, and again if it could not be read', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    if (reads === 1) throw new Error('too many open files')
    return 'const swagger = 1'
  }
  const reference = createApiReference([], { read })

  await expect(reference(bundle, {})).rejects.toThrow('too many open files')
  expect(await reference(bundle, {})).toMatchObject({ status: 200 })
  expect(await reference(bundle, {})).toMatchObject({ status: 200 })
  expect(reads).toBe(2)
})
