import { itemEventRefusals } from '@despatch/contracts/print-fulfilment/item-event'
import { returnRefusals } from '@despatch/contracts/print-fulfilment/returned-letter'
import { itemEventTypes } from '@despatch/domain/print-run/item-event'
import { returnReasons } from '@despatch/domain/print-run/returned-letter'
import { expect, test } from 'vitest'
import { readFences } from '../stack/follow-guide.ts'
import { paths, readText } from './tree.ts'

const firstPage = 'docs/provider-guide.md'
const pages = paths.filter((path) => path === firstPage || path.startsWith('docs/provider-guide/'))

test('every page is linked from the first page', () => {
  const linked = readText(firstPage).matchAll(/\]\((provider-guide\/[\w-]+\.md)\)/g)
  const links = new Set([...linked].map(([, link]) => `docs/${link}`))

  expect([firstPage, ...links].toSorted()).toEqual(pages.toSorted())
})

test('calls every operation of the interface', async () => {
  const { paths: operations } = JSON.parse(readText('docs/openapi/fulfilment.json')) as {
    paths: Record<string, unknown>
  }
  const fences = await readFences(firstPage)
  const commands = fences.flatMap(({ isRun, text }) => (isRun ? [text] : [])).join('\n')
  const called = (path: string) => {
    const [, rest = ''] = path.split('/v1', 2)
    const pattern = rest.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?\\n]+')
    return new RegExp(`\\$api${pattern}["?]`).test(commands)
  }
  const ofProviders = Object.keys(operations).filter((path) => path.includes('/v1/'))

  expect(ofProviders.length).toBeGreaterThan(20)
  expect(ofProviders.filter((path) => !called(path))).toEqual([])
})

test('names every event, every refusal of an event or a return, and every reason of a return', () => {
  const named = [...itemEventTypes, ...itemEventRefusals, ...returnRefusals]
  const words = named.map((word) => `\`${word}\``)
  const reasons = Object.entries(returnReasons).map(([code, why]) => `${code} | ${why}`)

  // tables contain padding
  const text = pages.map((path) => readText(path).replaceAll(/ +/g, ' ')).join('\n')
  expect([...words, ...reasons].filter((word) => !text.includes(word))).toEqual([])
})
