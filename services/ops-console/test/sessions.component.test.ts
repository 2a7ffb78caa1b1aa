import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { pages } from '../src/pages/page.ts'
import { aConsoleStage } from './a-console.ts'

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')
const service = await shared(stage.aConsole())

const get = (url: string, headers: Record<string, string> = { cookie }) =>
  service.api.inject({ url, headers })

test.for(pages.filter(({ isOpen }) => !isOpen).map(({ path }) => path))(
  '%s is for operators',
  async (path) => {
    const page = await get(path)
    const strangers = [{}, { cookie: await stage.signedIn('consumer') }, { cookie: `${cookie}A` }]

    expect([page.statusCode, page.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    for (const stranger of strangers) {
      const { statusCode, headers, body } = await get(path, stranger)
      expect([statusCode, headers.location, body]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(path)}`,
        '',
      ])
    }
  },
)

test('signing in leads to the whole address, query included, and never to another server', async () => {
  const path = '/print-jobs?find=A%26B&only=parked'
  const { statusCode, headers } = await get(path, {})
  const disguised = await get('/print-jobs?next=//evil.example', {})
  const nextOf = (location: unknown) => new URL(String(location), 'http://here').searchParams

  expect(statusCode).toBe(303)
  expect(nextOf(headers.location).get('next')).toBe(path)
  expect([...nextOf(disguised.headers.location)]).toEqual([
    ['next', '/print-jobs?next=//evil.example'],
  ])
  expect((await get('//evil.example/print-jobs', {})).statusCode).toBe(404)
})

test('a session ends after 8 hours', async () => {
  const past = () => new Date(Date.now() - 8 * 60 * 60 * 1000)

  expect((await get('/', { cookie: await stage.signedIn('admin', past) })).statusCode).toBe(303)
  expect((await get('/', { cookie: await stage.signedIn('admin') })).statusCode).toBe(200)
})

test('signing in needs no session, and its page has no links to those of operators', async () => {
  const { statusCode, body } = await get('/sign-in', {})

  expect(statusCode).toBe(200)
  expect(body).not.toContain('<nav')
})
