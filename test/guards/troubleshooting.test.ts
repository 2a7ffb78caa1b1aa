import { expect, test } from 'vitest'
import { programs, readText } from './tree.ts'

const page = readText('docs/troubleshooting.md')
const texts = programs.map(({ text }) => text).join('\n')

/** The messages in headings. `…` stands for a value, and a name that a message begins with may be one. */
const messages = [...page.matchAll(/^###.*$/gm)]
  .flatMap(([heading]) => [...heading.matchAll(/`([^`]+)`/g)])
  .map(([, message]) => message!)
  .filter((message) => message.includes(' '))

test.each(messages)('a program has the message: %s', (message) => {
  const parts = message
    .split('…')
    .map((part) => part.replace(/^callbackParams\.target/, '').trim())
    .filter((part) => /\w/.test(part))

  expect(parts.filter((part) => !texts.includes(part))).toEqual([])
})

test('every log event that the page names is logged', () => {
  const events = [...page.matchAll(/`([a-z-]+\.[a-z-]+)`/g)]
    .map(([, event]) => event!)
    .filter((event) => !/\.json$/.test(event))

  expect(events.length).toBeGreaterThan(2)
  expect(events.filter((event) => !texts.includes(`'${event}'`))).toEqual([])
})
