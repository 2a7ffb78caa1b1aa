import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { createLogger } from '@despatch/telemetry/logger'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { pages } from '../src/pages/page.ts'
import { openBundle } from '../src/web/bundle.ts'
import { aConsoleStage, anAdministration } from './a-console.ts'

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')
const service = await shared(stage.aConsole())

const get = (url: string, headers: Record<string, string> = { cookie }) =>
  service.api.inject({ url, headers })

test.for(pages.map(({ path }) => path))(
  '%s loads what is there, from here alone, and lets no form go anywhere',
  async (path) => {
    const { body, headers } = await get(path)
    const files = [...body.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, file]) => file!)

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\/| style="| on\w+="|<script>|<style>/)
    expect(files.map((file) => file.slice(file.lastIndexOf('.')))).toEqual(['.css', '.js'])
    for (const [index, file] of files.entries()) {
      const answer = await get(file, {})
      expect([file, answer.statusCode]).toEqual([file, 200])
      expect(answer.headers['content-type']).toBe(
        `text/${['css', 'javascript'][index]}; charset=utf-8`,
      )
      // a page fetches nothing else, also while two releases run
      expect(answer.body).not.toMatch(
        /(?:^|[;}\n])import\s*["{*]|\bimport\(|@import|url\((?!data:)/,
      )
    }
  },
)

test('a script that no page has is not found', async () => {
  expect((await get('/console/other-ABCDEFGH.js', {})).statusCode).toBe(404)
})

test('an image has its bundle in a folder, and a source tree makes the same one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'despatch-console-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const built = pathToFileURL(`${folder}/dist/`)
  const inMemory = await (await openBundle(built))()
  await mkdir(built)
  for (const [name, text] of inMemory) await writeFile(new URL(name, built), text)

  expect(await (await openBundle(built))()).toEqual(inMemory)
})

test('the environment is in every frame: production is named, and UAT is marked', async () => {
  const uat = await stage.aConsole({ DESPATCH_ENVIRONMENT: 'uat' })
  onTestFinished(() => uat.close())

  for (const path of ['/', '/sign-in']) {
    const production = await get(path)
    const test = await uat.api.inject({ url: path, headers: { cookie } })
    expect(production.body).toContain('<html lang="en-GB" data-env="production">')
    expect(production.body).toContain('Production <small>real post</small>')
    expect(test.body).toContain('<html lang="en-GB" data-env="uat">')
    expect(test.body).toMatch(/<title>.* · Despatch UAT<\/title>/)
    expect(test.body).toContain('UAT <small>no real post</small>')
  }
})

test('has a language, a title, one heading, landmarks, and a way past the links', async () => {
  const { body } = await get('/callbacks')

  expect(body).toContain('<html lang="en-GB" ')
  expect(body).toContain('<title>Callbacks · Despatch Production</title>')
  expect(body.match(/<h1>/g)).toHaveLength(1)
  expect(body).toMatch(
    /<a class="skip" href="#main">.*<nav .*aria-label=.*<header .*<main id="main"/s,
  )
  expect(body).toContain('<a href="/callbacks" aria-current="page">')
  expect((await get('/print-job')).body).toContain('<a href="/print-jobs" aria-current="page">')
  expect(body).toContain('role="status" aria-live="polite"')
})

test('a browser asks for a file once, and for a page each time', async () => {
  const page = await get('/print-jobs')
  const file = /href="(\/console\/[^"]+\.css)"/.exec(page.body)![1]!
  const etag = String(page.headers.etag)

  const kept = await get(file, {})
  const other = await get(file.replace(/-\w{8}\./, '-ABCDEFGH.'), {})
  const again = await get('/print-jobs', { cookie, 'if-none-match': etag })

  expect(kept.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  // while two releases run, a page of one may ask the other
  expect([other.statusCode, other.body]).toEqual([200, kept.body])
  expect(other.headers['cache-control']).toBe('no-store')
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('without a database the frame of a page is there, and the figures are not', async () => {
  const away = await stage.aConsole({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    QUEUE_URL: stage.databaseUrl,
  })
  onTestFinished(() => away.close())

  const page = await away.api.inject({ url: '/', headers: { cookie } })
  const events = await away.api.inject({ url: '/events', headers: { cookie } })

  expect([page.statusCode, events.statusCode]).toEqual([200, 503])
})

test('forwards requests of pages to administration, with the address of the caller, if no proxy in front does', async () => {
  const asked: unknown[] = []
  const administration = await anAdministration(async (request, response) => {
    const { method, url, headers } = request
    const { cookie, 'x-forwarded-for': address, 'x-forwarded-host': host } = headers
    asked.push([method, url, cookie, address, host, await text(request)])
    response.writeHead(201, { 'set-cookie': 'a=b; HttpOnly' }).end('{}')
  })
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ service: 'ops-console', destination })
  const service = await stage.aConsole(administration, { log })
  onTestFinished(() => service.close())

  const answer = await service.api.inject({
    method: 'POST',
    url: '/administration/v1/sessions?a=1',
    headers: { cookie: 'c=d', host: 'ops.example', 'content-type': 'application/json' },
    body: '{"userName":"u"}',
  })

  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([201, ['a=b; HttpOnly']])
  const url = '/administration/v1/sessions?a=1'
  const body = '{"userName":"u"}'
  expect(asked).toEqual([['POST', url, 'c=d', '127.0.0.1', 'ops.example', body]])
  // the one line of the request contains its route only: a URL may hold search terms
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'request.served', route: '/administration/*' },
  ])
  expect(lines.join()).not.toContain('sessions')
})
