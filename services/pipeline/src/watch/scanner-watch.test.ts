import { createMetrics } from '@despatch/telemetry/metrics'
import { ScanFailed, type ScanFailure } from '@despatch/virus-scanner/conversation'
import { expect, test } from 'vitest'
import { watchScanner } from './scanner-watch.ts'

const file = { printJobKey: 'k1', position: 0, uploadId: 'u1' }
const signal = new AbortController().signal
async function* content() {}

/** A watch of a scanner that does what the test says, and the lines that the watch logs. */
function aWatch() {
  const registry = createMetrics('pipeline')
  const lines: unknown[] = []
  const line = (fields: unknown, event: unknown) => void lines.push([event, fields])
  const says: { scan: ScanFailure | 'clean' | 'infected' | Error; check: ScanFailure | 'up' } = {
    scan: 'clean',
    check: 'up',
  }
  const clock = { ms: 0 }
  const watched = watchScanner({
    scanner: {
      scan: async () => {
        if (says.scan instanceof Error) throw says.scan
        if (says.scan === 'clean') return { kind: 'clean' }
        if (says.scan === 'infected') return { kind: 'infected', signature: 'Win.Test.EICAR' }
        throw new ScanFailed(says.scan, 'no verdict')
      },
      check: async () => {
        if (says.check !== 'up') throw new ScanFailed(says.check, 'away')
      },
    },
    log: { info: line, warn: line, error: line } as never,
    registry,
    now: () => new Date(clock.ms),
  })
  const scan = (bytes = 100) => watched.scan(content(), { ...file, bytes }, signal)
  return { registry, lines, says, clock, watched, scan }
}

test('an unavailable scanner is logged once, counted each time, and logged again when it is back', async () => {
  const { registry, lines, says, watched } = aWatch()
  says.check = 'unreachable'

  expect([await watched.isUp(), await watched.isUp()]).toEqual([false, false])
  expect(await watched.health()).toEqual({
    name: 'virus-scanner',
    ok: false,
    reason: 'unreachable',
  })
  expect(await registry.metrics()).toContain(
    'virus_scans_total{outcome="unreachable",service="pipeline"} 2',
  )
  expect(await registry.metrics()).toContain('virus_scanner_up{service="pipeline"} 0')
  says.check = 'up'
  expect([await watched.isUp(), await watched.isUp()]).toEqual([true, true])

  expect(await watched.health()).toEqual({ name: 'virus-scanner', ok: true })
  expect(lines).toEqual([
    ['virus-scanner.down', { reason: 'unreachable' }],
    ['virus-scanner.up', { reason: 'unreachable' }],
  ])
})

test.each(['limit', 'timeout', 'broken'] as const)(
  'after a failed scan (%s) the scanner is healthy only once a file of that size passes',
  async (reason) => {
    const { lines, says, watched, scan } = aWatch()
    says.scan = reason
    expect(await scan(5000)).toBe('none')

    says.scan = 'clean'
    expect(await watched.isUp()).toBe(true)
    await scan(4999)
    expect(await watched.health()).toEqual({ name: 'virus-scanner', ok: false, reason })
    await scan(5000)

    expect(await watched.health()).toEqual({ name: 'virus-scanner', ok: true })
    expect(lines).toEqual([
      ['virus-scanner.down', { reason }],
      ['virus-scanner.up', { reason }],
    ])
  },
)

test('a file without a verdict that does not return is forgotten after ten minutes', async () => {
  const { says, clock, watched, scan } = aWatch()
  says.scan = 'limit'
  await scan()

  clock.ms = 600_000
  expect(await watched.health()).toMatchObject({ ok: false })
  clock.ms = 600_001

  expect(await watched.health()).toMatchObject({ ok: true })
})

test('findings of the virus scanner are only logged with ids', async () => {
  const { lines, says, scan } = aWatch()
  says.scan = 'infected'

  expect(await scan()).toBe('infected')

  expect(lines).toEqual([['file.infected', { ...file, signature: 'Win.Test.EICAR' }]])
})

test('an unreadable upload is not a fault of the scanner', async () => {
  const { lines, says, watched, scan } = aWatch()
  says.scan = new Error('the upload was torn')

  await expect(scan()).rejects.toThrow('the upload was torn')

  expect(await watched.health()).toMatchObject({ ok: true })
  expect(lines).toEqual([])
})
