import { expect, test } from 'vitest'
import { unrestrictedCapabilities } from './capabilities.ts'
import { expectWork } from './expected-work.ts'
import type { PrintStream } from './stream.ts'

const plain: PrintStream = {
  despatchMethod: 'SECOND',
  stationery: 'A4-PLAIN',
  plex: 'duplex',
  colour: true,
  format: 'LETTER',
}
const logo = { ...plain, stationery: 'A4-LOGO' }
const site = (share: number, stationery: string[] = ['A4-PLAIN'], enabled = true) => ({
  enabled,
  share,
  capabilities: { ...unrestrictedCapabilities, stationery },
})

test('divides each stream among the sites that can print it, by their shares', () => {
  const sites = [site(60), site(40, ['A4-PLAIN', 'A4-LOGO'])]

  expect(
    expectWork(sites, [
      { ...plain, documents: 1_000 },
      { ...logo, documents: 50 },
    ]),
  ).toEqual({ documents: [600, 450], unroutable: 0 })
})

test('gives nothing to a disabled site or a site without a share, and counts the work that no site takes', () => {
  const sites = [site(60, ['A4-LOGO'], false), site(0, ['A4-LOGO']), site(1)]

  expect(
    expectWork(sites, [
      { ...plain, documents: 10 },
      { ...logo, documents: 5 },
    ]),
  ).toEqual({ documents: [0, 0, 10], unroutable: 5 })
})
