import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { operationRoles } from '@despatch/domain/access/operation-roles'
import { createLogger } from '@despatch/telemetry/logger'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { pages } from '../src/pages/page.ts'
import { aConsoleStage } from './a-console.ts'

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
    const unread = new Set(files)
    for (const file of unread) {
      const answer = await get(file, {})
      expect([file, answer.statusCode]).toEqual([file, 200])
      for (const imported of importsOf(answer.body)) {
        expect([file, imported]).toEqual([file, expect.stringMatching(/^(\/console\/|\.)/)])
        unread.add(new URL(imported, `http://console${file}`).pathname)
      }
    }
    // the browser fetches all modules of a page at once
    expect([...unread].sort()).toEqual([...new Set(files)].sort())
    expect(unread.size).toBeGreaterThan(3)
  },
)

test('the modules of a page are stripped of their types, and judge by the rules of the domain', async () => {
  const page = await get('/console/any/pages/queues.ts', {})
  const roles = await get('/console/any/domain/access/operation-roles.ts', {})

  expect(page.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(page.body).not.toContain('import type')
  expect(page.body).toContain("from '../domain/operator-action/queue-actions.ts'")
  const served = await import(`data:text/javascript,${encodeURIComponent(roles.body)}`)
  expect(served.operationRoles).toEqual(operationRoles)
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
  const other = await get(file.replace(/console\/\w+/, 'console/previous'), {})
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

test('hands on what pages ask of administration, saying who asked, where nothing in front does', async () => {
  const asked: unknown[] = []
  const administration = createServer(async (request, response) => {
    const { method, url, headers } = request
    const { cookie, 'x-forwarded-for': address, 'x-forwarded-host': host } = headers
    asked.push([method, url, cookie, address, host, await text(request)])
    response.writeHead(201, { 'set-cookie': 'a=b; HttpOnly' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(administration, 'listening')
  onTestFinished(() => void administration.close())
  const { port } = administration.address() as AddressInfo
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const service = await stage.aConsole(
    { DESPATCH_ADMINISTRATION_URL: `http://127.0.0.1:${port}` },
    { log: createLogger({ service: 'ops-console', destination }) },
  )
  onTestFinished(() => service.close())

  const answer = await service.api.inject({
    method: 'POST',
    url: '/administration/v1/sessions?a=1',
    headers: { cookie: 'c=d', host: 'ops.example', 'content-type': 'application/json' },
    body: '{"userName":"u"}',
  })

  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([201, ['a=b; HttpOnly']])
  expect(asked).toEqual([
    [
      'POST',
      '/administration/v1/sessions?a=1',
      'c=d',
      '127.0.0.1',
      'ops.example',
      '{"userName":"u"}',
    ],
  ])
  // the one line of the request contains its route only: a URL may hold search terms
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'request.served', route: '/administration/*' },
  ])
  expect(lines.join()).not.toContain('sessions')
})

/** Returns what a module imports: our own name it in single quotes, minified ones in double quotes. */
function importsOf(module: string): string[] {
  const ours = [...module.matchAll(/^(?:import|export|\})[^'"\n]*?from '([^']+)'/gm)]
  const minified = [...module.matchAll(/\b(?:from|import)"([@\w./-]+)"/g)]
  return [...ours, ...minified].map(([, name]) => name!)
}
