import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { uploadKey } from '../src/keys.ts'
import type { ObjectStoreSettings } from '../src/object-store.ts'
import { open, serve } from './a-store.ts'

const { accessKeyId, secretAccessKey } = inject('infra').objectStore
const key = uploadKey('credentials')

/** Opens the object store without an access key of its own, in an environment that has only these AWS_ variables. */
function openWith(
  environment: Record<string, string>,
  settings: Partial<ObjectStoreSettings> = {},
) {
  const others = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
  for (const name of others) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null')
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  return open({ accessKeyId: undefined, secretAccessKey: undefined, ...settings })
}

async function aServer(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => string,
) {
  const requests: { method?: string; url?: string; headers: IncomingMessage['headers'] }[] = []
  const endpoint = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url, headers } = request
    requests.push({ ...(method && { method }), ...(url && { url }), headers })
    response.end(answer(request, body, response))
  })
  return { requests, endpoint, port: new URL(endpoint).port }
}

/** The credentials endpoint of a container, whose credentials are valid for this many seconds. */
async function aContainer(validSeconds: number) {
  const { requests, endpoint } = await aServer(() =>
    JSON.stringify({
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: `token-${requests.length}`,
      Expiration: new Date(Date.now() + validSeconds * 1_000).toISOString(),
    }),
  )
  return {
    requests,
    environment: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${endpoint}/credentials` },
  }
}

const bytes = Buffer.from('a letter')

test('without an access key the credentials of the container are used, for requests and addresses', async () => {
  const { requests, environment } = await aContainer(6 * 3_600)
  const objects = openWith(environment)

  await objects.put(key, bytes, 'text/plain')
  const address = await objects.downloadAddress(key, { expiresSeconds: 300 })

  expect(await (await fetch(address)).text()).toBe('a letter')
  expect(await objects.list(key, { keysMax: 1 })).toEqual([key])
  expect(new URL(address).searchParams.get('X-Amz-Security-Token')).toBe('token-1')
  expect(requests).toHaveLength(1)
})

test('renews credentials that expire before a presigned address does', async () => {
  const { requests, environment } = await aContainer(800)
  const objects = openWith(environment)
  await objects.put(key, bytes, 'text/plain')

  const short = await objects.uploadAddress(key, { expiresSeconds: 300 })
  const long = await objects.uploadAddress(key, { expiresSeconds: 900 })

  const tokenOf = (address: string) => new URL(address).searchParams.get('X-Amz-Security-Token')
  expect([tokenOf(short), tokenOf(long)]).toEqual(['token-1', 'token-2'])
  expect(requests).toHaveLength(2)
})

test('a web identity is exchanged for credentials', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-identity-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const tokenFile = join(directory, 'token')
  await writeFile(tokenFile, 'an-identity')
  const asked: string[] = []
  const { endpoint } = await aServer((_request, body) => {
    asked.push(body)
    return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
        <SessionToken>session</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
  })
  const objects = openWith({
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/despatch',
    AWS_ENDPOINT_URL_STS: endpoint,
  })

  await objects.put(key, bytes, 'text/plain')

  expect(asked).toEqual([expect.stringContaining('WebIdentityToken=an-identity')])
})

test('missing credentials are an outage of the object store', async () => {
  const objects = openWith({})
  const outage = { dependency: 'object-store' }

  await expect(objects.check()).rejects.toMatchObject(outage)
  await expect(objects.head(key)).rejects.toMatchObject(outage)
  await expect(objects.uploadAddress(key, { expiresSeconds: 60 })).rejects.toMatchObject(outage)
})

test('puts the bucket into the host name unless paths are forced', async () => {
  const dns = (await import('node:dns')).default
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((
    _name: string,
    options: { all?: boolean },
    done: (...found: unknown[]) => void,
  ) => {
    if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }])
    else done(null, '127.0.0.1', 4)
  }) as never)
  onTestFinished(() => lookup.mockRestore())
  const { requests, port } = await aServer(() => '<ListBucketResult></ListBucketResult>')
  const objects = openWith(
    { AWS_ACCESS_KEY_ID: accessKeyId!, AWS_SECRET_ACCESS_KEY: secretAccessKey! },
    { endpoint: `http://s3.test:${port}`, bucket: 'letters', forcePathStyle: false },
  )

  await objects.put('files/a b', bytes, 'text/plain')
  await objects.list('files/', { keysMax: 1 })
  const address = new URL(await objects.uploadAddress('files/a', { expiresSeconds: 60 }))

  const hosts = requests.map(({ headers }) => headers.host)
  expect(hosts).toEqual([`letters.s3.test:${port}`, `letters.s3.test:${port}`])
  expect(requests.map(({ url }) => url?.split('?')[0])).toEqual(['/files/a%20b', '/'])
  expect([address.host, address.pathname]).toEqual([`letters.s3.test:${port}`, '/files/a'])
})

test('encrypts written and copied objects with the configured AWS KMS key', async () => {
  const { requests, endpoint } = await aServer(({ headers }, _, response) => {
    if (headers['x-amz-copy-source-if-match'] !== '"e"' && headers['x-amz-copy-source']) {
      response.statusCode = 412
    }
    return '<CopyObjectResult></CopyObjectResult>'
  })
  const objects = openWith(
    { AWS_ACCESS_KEY_ID: accessKeyId!, AWS_SECRET_ACCESS_KEY: secretAccessKey! },
    { endpoint, kmsKeyId: 'alias/letters' },
  )

  await objects.put('files/a', bytes, 'text/plain')
  await objects.copy('files/a', 'files/b', { etag: '"e"' })

  for (const { headers } of requests) {
    expect(headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'alias/letters',
      authorization: expect.stringContaining('x-amz-server-side-encryption-aws-kms-key-id'),
    })
  }
  expect(requests).toHaveLength(3)
})
