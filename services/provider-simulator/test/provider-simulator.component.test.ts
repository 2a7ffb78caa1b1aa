import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { aFactory } from './a-factory.ts'

test('takes a released run from claim to close, and reports each step', async () => {
  const { gateway, start, becomes, happened, printed, events } = await aFactory()
  const run = gateway.release('R1', { D1: 'first letter', D2: 'second letter' })

  await start()
  await becomes('R1', 'CLOSED')
  await happened('closed')

  expect(await printed()).toEqual(['D1 1', 'D2 1'])
  expect(run.acknowledgement).toEqual({
    documentCount: 2,
    sheetCount: 4,
    manifestDigest: run.manifest.manifestDigest,
  })
  expect(run.postingBodies).toEqual([
    {
      batchNumber: 'R1',
      carrier: 'Simulated Mail',
      handoverAt: expect.any(String),
      manifestNumber: expect.stringMatching(/^SIM-/),
      counts: [{ despatchMethod: 'SECOND', format: 'LETTER', documentCount: 2 }],
    },
  ])
  expect(gateway.logins).toEqual([{ userName: 'factory', password: 'password' }])
  expect(events.map(({ kind }) => kind)).toEqual([
    ...['offered', 'claimed', 'fetched', 'fetched', 'acknowledged'],
    ...['printed', 'printed', 'posted', 'closed'],
  ])
})

test('sends its credentials over http to another machine only where a setting permits it', async () => {
  const { start } = await aFactory()
  const elsewhere = { DESPATCH_BASE_URL: 'http://gateway.invalid:8080' }

  await expect(start(elsewhere)).rejects.toThrow('must be an https address')
  await start({ ...elsewhere, DESPATCH_PROVIDER_INSECURE_HTTP: true })
})

test('reports what happened to each document, in its order', async () => {
  const { gateway, start, becomes } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter' })

  await start({ floor: { divertRate: 1, serialNumberPrefix: 'S' } })
  await becomes('R1', 'CLOSED')

  expect(run.told.map(({ type, serialNumber }) => [type, serialNumber])).toEqual([
    ['FETCHED', undefined],
    ['PRINTED', 'S00000001'],
    ['DIVERTED', undefined],
    ['ENCLOSED', undefined],
  ])
})

test('acknowledges before it prints', async () => {
  const { gateway, start, becomes, printed, stop } = await aFactory()
  gateway.release('R1', { D1: 'a letter' })
  gateway.faults.push({ path: '/acknowledgement', status: 400, left: 1_000 })

  await start()
  await becomes('R1', 'ACCEPTED')
  await stop()

  expect(await printed()).toEqual([])
})

test('a clock that is a day ahead changes only what is reported', async () => {
  const { gateway, start, becomes } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter' })

  await start({ floor: { clockSkewSeconds: 86_400 } })
  await becomes('R1', 'CLOSED')
  await eventually(() => gateway.heartbeats.length > 0, { message: 'a heartbeat has come' })
  await eventually(() => gateway.paths.some((path) => path.endsWith('/work-summary')), {
    message: 'the work summary is read',
  })

  const [{ sentAt }] = gateway.heartbeats as [{ sentAt: string }]
  const times = [
    sentAt,
    ...run.told.map(({ occurredAt }) => occurredAt),
    ...run.postingBodies.map(({ handoverAt }) => handoverAt),
  ]
  expect(times).toHaveLength(5)
  expect(times.filter((time) => Date.parse(time) - Date.now() < 86_000_000)).toEqual([])
})

test('takes the runs of its print locations only', async () => {
  const { gateway, start, becomes } = await aFactory()
  const elsewhere = gateway.release('R1', { D1: 'a letter' })
  elsewhere.manifest = { ...elsewhere.manifest, printLocation: 'SOUTH' }
  gateway.release('R2', { D2: 'a letter' })

  await start({ floor: { printLocations: ['NORTH'] } })
  await becomes('R2', 'CLOSED')

  expect(elsewhere.state).toBe('RELEASED')
})

test('shows its credentials to the interface only, not to the address of a file', async () => {
  const { gateway, start, becomes } = await aFactory()
  gateway.release('R1', { D1: 'a letter' })

  await start()
  await becomes('R1', 'CLOSED')

  expect(gateway.files.get('/files/D1')?.credentials).toEqual([undefined])
})

test('renews its lease while the files take long to come', async () => {
  const { gateway, start, becomes } = await aFactory()
  const letters = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`D${n}`, `letter ${n}`]))
  const run = gateway.release('R1', letters, { leaseMs: 2 })

  await start()
  await becomes('R1', 'CLOSED')

  expect(run.renewals).toBeGreaterThan(0)
})

test('a claim whose answer was lost is repeated with the same key', async () => {
  const { gateway, start, becomes } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter' })
  gateway.faults.push({ path: '/claim', status: 502, left: 2 })

  await start()
  await becomes('R1', 'CLOSED')

  // a busy machine may lose one more response on its own
  expect(run.claimKeys.length).toBeGreaterThanOrEqual(3)
  expect(new Set(run.claimKeys).size).toBe(1)
})

test('refuses a file that is not that of the manifest, and posts the others', async () => {
  const { gateway, start, becomes, printed, events } = await aFactory()
  const run = gateway.release('R1', { D1: 'good', D2: 'good as well' })
  gateway.files.get('/files/D2')!.content = 'altered'

  await start()
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1'])
  const reason = 'The file does not match the manifest'
  const refusal = { documentId: 'D2', reasonCode: 'DIGEST', reason }
  expect(run.acknowledgement?.refusals).toEqual([refusal])
  expect(events).toContainEqual({ kind: 'refused', batchNumber: 'R1', ...refusal })
  expect(run.told.map(({ documentId }) => documentId)).not.toContain('D2')
})

test('a run of which every document is refused is closed without a posting', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter', D2: 'another' })

  await start({ floor: { refusalRate: 1 } })
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual([])
  expect(run.postingKeys).toEqual([])
})

test('prints nothing of a manifest whose digest does not fit', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  const bad = gateway.release('R1', { D1: 'a letter' })
  bad.manifest = { ...bad.manifest, stationery: 'A4-OTHER' }
  gateway.release('R2', { D2: 'a letter' })

  await start()
  await becomes('R2', 'CLOSED')
  await eventually(() => bad.claimKeys.length > 1, { message: 'R1 is tried again' })

  expect(await printed()).toEqual(['D2 1'])
  expect(bad.state).toBe('CLAIMED')
})

test('leaves a run alone that an operator has moved elsewhere', async () => {
  const { gateway, start, becomes, crashes, stop } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter' })
  await start({ floor: { crashAt: ['after-print'] } })
  await eventually(() => crashes.length > 0, { message: 'the simulator has stopped' })
  await stop()
  run.state = 'VOIDED'

  gateway.release('R2', { D2: 'a letter' })
  await start()
  await becomes('R2', 'CLOSED')
  gateway.release('R3', { D3: 'a letter' })
  await becomes('R3', 'CLOSED')

  expect(gateway.paths.filter((path) => path.endsWith('/R1/events'))).toHaveLength(1)
  expect(run.postingKeys).toEqual([])
})

test('looks for recalls only while a document may still be in the house', async () => {
  const { gateway, start, becomes, happened } = await aFactory()
  const asked = (what: string) => gateway.paths.filter((path) => path.includes(what)).length
  const pollsTwice = async () => {
    const before = asked('/print-runs?')
    await eventually(() => asked('/print-runs?') >= before + 2, { message: 'it polls twice' })
  }
  await start()
  await pollsTwice()
  expect(asked('/recall-requests')).toBe(0)

  gateway.release('R1', { D1: 'a letter' })
  await becomes('R1', 'CLOSED')
  await happened('closed')
  expect(asked('/recall-requests')).toBeGreaterThan(0)
  // looks that were under way may still see the run as unfinished
  const looksNoMore = async () => {
    const before = asked('/recall-requests')
    await pollsTwice()
    return asked('/recall-requests') === before
  }
  await eventually(looksNoMore, { message: 'it looks for recalls no more' })
})
