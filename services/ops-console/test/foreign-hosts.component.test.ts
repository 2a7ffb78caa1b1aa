import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { pages } from '../src/pages/page.ts'
import { aConsoleStage } from './a-console.ts'

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')
const service = await shared(stage.aConsole())

const get = (url: string) => service.api.inject({ url, headers: { cookie } })

/** Hosts in the text of scripts that nothing is loaded from. Look where another one is used before adding it. */
const named = ['www.w3.org']

test('no page, style sheet or script of the console names a host to load from', async () => {
  const found: string[] = []
  const read = new Set<string>(pages.map(({ path }) => path))
  for (const path of read) {
    const { body, headers, statusCode } = await get(path)
    expect([path, statusCode]).toEqual([path, 200])
    const type = String(headers['content-type']).split(';')[0]!
    found.push(...foreignIn(type, body).map((host) => `${path}: ${host}`))
    if (type === 'text/html') for (const next of filesIn(body)) read.add(next)
  }

  // each page has a script, and all have one style sheet
  expect(read.size).toBe(2 * pages.length + 1)
  expect(found).toEqual([])
})

/** Returns what a page or style sheet loads from another host; for a script, the hosts in its text. */
function foreignIn(type: string, text: string): string[] {
  if (type === 'text/html') {
    const loads = /<(?!a\b)[a-z]+\b[^>]*?\b(?:src|href|action|data)=["']((?:https?:)?\/\/[^"']+)/gi
    return [...text.matchAll(loads)].map(([, address]) => address!)
  }
  if (type === 'text/css') {
    const loads = /(?:url\(|@import)\s*["']?((?:https?:)?\/\/[^"')]+)/gi
    return [...text.matchAll(loads)].map(([, address]) => address!)
  }
  const hosts = [...text.matchAll(/(?:https?|wss?):\/\/([a-z0-9][a-z0-9.-]*)/gi)]
  return hosts.map(([, host]) => host!).filter((host) => !named.includes(host))
}

function filesIn(page: string): string[] {
  const loaded = /<(?:script|link)\b[^>]*\b(?:src|href)="([^":]+)"/g
  return [...page.matchAll(loaded)].map(([, file]) => file!)
}
