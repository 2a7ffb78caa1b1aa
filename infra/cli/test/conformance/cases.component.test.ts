import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { allCases } from '../../src/conformance/all-cases.ts'
import { aStage } from './a-play.ts'

const stage = await shared(aStage())

function begin(id: string) {
  const pace = { retryAfterSeconds: 1, authorisationSeconds: 0.2 }
  return stage.play(allCases.find((each) => each.id === id)!, pace)
}

const good = { violations: [], outstanding: [] }

test('the cases are numbered from C01 to C15', () => {
  expect(allCases.map(({ id }) => id)).toEqual(
    Array.from({ length: 15 }, (_, index) => `C${String(index + 1).padStart(2, '0')}`),
  )
})

test('C01 is outstanding step by step, and good once the run is closed', async () => {
  const { client, ids, judge } = await begin('C01')
  const steps: unknown[] = [(await judge()).outstanding]

  await client.start()
  steps.push((await judge()).outstanding)
  await client.manifest()
  steps.push((await judge()).outstanding)
  await client.fetchAll()
  await client.acknowledge()
  steps.push((await judge()).outstanding)
  const { json } = await client.post()
  await client.confirm(json.postingId)
  steps.push((await judge()).outstanding)
  await client.close()

  expect(steps).toEqual([
    ['the print run is claimed'],
    ['the manifest is read'],
    ['the print run is acknowledged'],
    [`posted and confirmed, or failed: ${ids.join(', ')}`],
    ['the print run is closed'],
  ])
  expect(await judge()).toEqual(good)
})

test('C01 is failed by posting what was never fetched, by refusing and by giving up', async () => {
  const { client, ids, judge } = await begin('C01')
  await client.start()
  for (const documentId of ids.slice(0, 4)) await client.fetch(documentId)
  const refusals = [{ documentId: ids[0], reasonCode: 'UGLY', reason: 'Not liked' }]
  await client.acknowledge({ refusals })
  await client.report(ids[1]!, { type: 'FAILED', reasonCode: 'TORN' })
  await client.bringOut()

  expect(await judge()).toEqual({
    violations: [
      `${ids[0]} was refused although nothing is wrong with it`,
      `${ids[1]} was reported as FAILED although nothing is wrong with it`,
      `${ids[4]} was posted although its file was never fetched`,
      `${ids[5]} was posted although its file was never fetched`,
    ],
    outstanding: [],
  })
})

test('C02 takes another claim under either key, and not a second print', async () => {
  const { client, ids, judge } = await begin('C02')
  await client.signIn()
  await expect(client.claim('claim-1')).rejects.toThrow('lost')
  await client.claim('claim-1')
  await client.claim('claim-2')
  await client.fetchAll()
  await client.acknowledge()
  await client.report(ids[0])
  await client.report(ids[0])
  await client.bringOut()
  expect(await judge()).toEqual(good)

  await client.report(ids[0], { eventId: 'another' })

  expect((await judge()).violations).toEqual([`printed 2 times: ${ids[0]}, attempt 1`])
})

test('C03 counts calls before Retry-After has passed, except those already under way', async () => {
  const { client, judge, calls } = await begin('C03')
  await client.start()

  const { status, headers } = await client.manifest()
  for (let call = 0; call < 8; call++) await client.list()

  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(calls.filter(({ fault }) => fault === 'unavailable')).toHaveLength(9)
  // all at once, however busy the machine is
  for (const call of calls) call.atMs = 0
  expect((await judge()).violations).toEqual([])
  for (const call of calls.slice(-4)) call.atMs += 500
  expect((await judge()).violations).toEqual([
    '4 further calls before the end of Retry-After (503)',
  ])
})

test('C04 takes one sign-in for each of the two expiries', async () => {
  const { client, judge } = await begin('C04')
  await client.start()
  expect((await client.manifest()).status).toBe(401)
  await client.signIn()
  await client.fetchAll()
  expect((await client.acknowledge()).status).toBe(401)
  await client.signIn()
  await client.acknowledge()
  await client.bringOut()
  expect(await judge()).toEqual(good)

  await client.signIn()

  expect((await judge()).violations).toEqual([
    'authenticated 3 times although the token expired 2 times',
  ])
})

test('C05 gives a manifest that does not fit once, and takes no acknowledgement for it', async () => {
  const { client, at, judge } = await begin('C05')
  await client.start()
  const bad = await client.manifest()
  const { totals, manifestDigest } = bad.json
  const { documentCount, sheetCount } = totals
  const body = { documentCount, sheetCount, manifestDigest }
  await client.send('POST', `${at}/acknowledgement`, { body })
  const right = await client.manifest()

  // Everything else is the same, so only the digest can reveal it.
  expect({ ...bad.json, colour: !bad.json.colour }).toEqual(right.json)
  expect((await judge()).violations).toEqual([
    'acknowledged although the manifest did not match its digest',
  ])
})

test('C05 is good when the manifest is read again', async () => {
  const { client, judge } = await begin('C05')
  await client.start()
  await client.manifest()
  await client.fetchAll()
  await client.acknowledge()
  await client.bringOut()

  expect(await judge()).toEqual(good)
})

test('C06 requires that the file that is always wrong is refused, and accepts the other once it is fetched again', async () => {
  const { client, ids, judge, run } = await begin('C06')
  const wrong = run.documents[1]!.file
  const refusals = [{ documentId: ids[1]!, reasonCode: 'DIGEST', reason: 'Not the right file' }]
  await client.start()
  await client.fetchAll()
  const again = await client.fetch(ids[1]!)
  await client.fetch(ids[3]!)
  await client.acknowledge({ refusals })
  await client.report(ids[3]!)
  await client.bringOut()

  expect(Buffer.from(again.bytes).equals(wrong)).toBe(false)
  expect(await judge()).toEqual(good)
})

test('C06 is failed by printing or posting what never came right', async () => {
  const { client, ids, judge } = await begin('C06')
  await client.takeIn()
  await client.report(ids[3]!)
  await client.bringOut()

  expect((await judge()).violations).toEqual([
    `${ids[3]} was printed although its bytes never matched`,
    `${ids[1]} was printed although its bytes never matched`,
  ])
})

test('C07 lets the first address expire, and another of the same file work', async () => {
  const { client, ids, judge } = await begin('C07')
  await client.start()
  const address = await client.link(ids[2]!)
  const statuses = [
    (await client.send('GET', address)).status,
    (await client.send('GET', address)).status,
    (await client.fetch(ids[2]!)).status,
  ]
  await client.fetchAll()
  await client.acknowledge()
  await client.bringOut()

  expect(statuses).toEqual([403, 403, 200])
  expect(await judge()).toEqual(good)
  for (let tries = 0; tries < 4; tries++) await client.send('GET', address)
  expect((await judge()).violations).toEqual(['the expired address was tried 6 times'])
})

test('C07 shows nothing of a client that fetches all files of a job at once', async () => {
  const { client, judge } = await begin('C07')
  await client.start()
  await client.acknowledge()
  await client.bringOut()

  expect((await judge()).notShown).toBe('no file was fetched by its own address')
})

test('C08 takes the same acknowledgement again, and no other', async () => {
  const { client, judge } = await begin('C08')
  await client.start()
  await expect(client.acknowledge()).rejects.toThrow('lost')
  await client.acknowledge()
  await client.bringOut()
  expect(await judge()).toEqual(good)

  await client.acknowledge({ documentCount: 3 })

  expect((await judge()).violations).toContain(
    'the acknowledgement was repeated with other content',
  )
})

const expireLease = (batchNumber: string) =>
  stage.pool.query('update print_run set lease_until = now() where batch_number = $1', [
    batchNumber,
  ])

test('C09 holds the run back until it was seen in the list again, and takes no second print', async () => {
  const { client, ids, at, run, judge } = await begin('C09')
  await client.signIn()
  const { json: claim } = await client.claim()
  const link = async (place: number) =>
    (await client.send('GET', `${at}/documents/${ids[place]}/content`)).status
  const before = [await link(0), await link(1)]
  await expireLease(run.batchNumber)
  const { json } = await client.list()
  const after = await link(1)
  await client.fetchAll()
  await client.acknowledge()
  await client.bringOut()

  expect(Date.parse(claim.leaseUntil) - Date.now()).toBeLessThan(10_000)
  expect([before, after]).toEqual([[303, 503], 303])
  expect(json.printRuns).toMatchObject([{ batchNumber: run.batchNumber, state: 'RELEASED' }])
  expect(await judge()).toEqual(good)

  await client.report(ids[0])
  await client.report(ids[0], { eventId: 'another' })
  expect((await judge()).violations).toEqual([`printed 2 times: ${ids[0]}, attempt 1`])
})

test('C09 continues without the list after three leases, and then shows nothing', async () => {
  const c09 = allCases.find(({ id }) => id === 'C09')!
  const { client, judge } = await stage.play(c09, { leaseSeconds: 0.01 })
  await client.start()
  await expect.poll(async () => (await client.acknowledge()).status).toBe(200)
  await client.fetchAll()
  await client.bringOut()

  expect((await judge()).notShown).toBe(
    'the list was not requested while the run was offered again',
  )
})

test('C10 withdraws a document at the claim: the counts of the list are wrong then', async () => {
  const { client, run, judge } = await begin('C10')
  await client.signIn()
  const listed = (await client.list()).json.printRuns[0]
  await client.claim()
  const { documents, manifestVersion } = (await client.manifest()).json
  const { documentCount, sheetCount } = listed
  const wrong = await client.acknowledge({ documentCount, sheetCount })

  expect({
    listed: [listed.manifestVersion, documentCount],
    manifest: [manifestVersion, documents.map((each: { sequence: number }) => each.sequence)],
    status: wrong.status,
  }).toEqual({ listed: [1, 5], manifest: [2, [1, 2, 4, 5]], status: 409 })
  expect((await judge()).violations).toEqual([
    expect.stringMatching(
      `^an acknowledgement did not match: .*documentCount.* ${run.batchNumber}`,
    ),
  ])
})

test('C11 refuses an event each time, and counts how often it is sent', async () => {
  const { client, ids, judge } = await begin('C11')
  await client.takeIn()
  await expect(client.report(ids[1]!)).rejects.toThrow('lost')
  const { json } = await client.report(ids[1]!)
  await client.report(ids[0])
  await client.bringOut()
  expect(json.results).toEqual([
    { eventId: `PRINTED ${ids[1]} 1`, result: 'REFUSED', refusal: 'already-reported' },
  ])
  expect(await judge()).toEqual(good)

  await client.report(ids[1]!)
  await client.report(ids[1]!)

  expect((await judge()).violations).toEqual(['a refused event was sent 4 times'])
})

test('C11 loses no reply about the run of the case before', async () => {
  const before = await begin('C01')
  await before.client.takeIn()
  const { client, ids } = await begin('C11')
  await client.takeIn()

  const [documentId] = before.ids
  const occurredAt = new Date().toISOString()
  const event = { eventId: 'late', documentId, attempt: 1, type: 'PRINTED', occurredAt }
  const late = await client.send('POST', `${before.at}/events`, { body: { events: [event] } })
  expect(late.status).toBe(200)
  await expect(client.report(ids[1]!)).rejects.toThrow('lost')
})

test('C05 alters no manifest of the run of the case before', async () => {
  const before = await begin('C01')
  await before.client.start()
  const { json } = await before.client.manifest()
  const { client } = await begin('C05')
  await client.start()

  expect((await client.send('GET', `${before.at}/manifest`)).json).toEqual(json)
})

test('C11 is failed by another eventId for the same event, and waits for the repeat', async () => {
  const { client, ids, judge } = await begin('C11')
  await client.takeIn()
  await expect(client.report(ids[0], { type: 'ENCLOSED' })).rejects.toThrow('lost')
  await client.bringOut()
  expect((await judge()).outstanding).toEqual([
    'events whose response was lost are reported again: 1',
  ])

  await client.report(ids[0], { type: 'ENCLOSED', eventId: 'another' })

  expect((await judge()).violations).toEqual([
    `reported under 2 eventIds: ENCLOSED of ${ids[0]}, attempt 1`,
  ])
})

test('C12 authorises a reprint after a while, when it is asked for', async () => {
  const { client, ids, at, judge } = await begin('C12')
  const state = async () => (await client.send('GET', `${at}/reprints`)).json.reprints[0].state
  await client.takeIn()
  const asked = await client.askForReprint(ids[2]!)
  const early = await state()
  await expect.poll(state).toBe('AUTHORISED')
  await client.report(ids[2]!, { attempt: 2 })
  await client.bringOut()

  expect([asked.json.reprints[0].state, early]).toEqual(['WAITING', 'WAITING'])
  expect(await judge()).toEqual(good)
})

test('C12 is failed by printing before the authorisation', async () => {
  const { client, ids, judge } = await begin('C12')
  await client.takeIn()
  await client.askForReprint(ids[2]!)
  await client.report(ids[2]!, { attempt: 2 })

  expect((await judge()).violations).toEqual([
    `reported without authorisation: ${ids[2]}, attempt 2`,
  ])
})

test.each([
  ['nothing is spoiled', [], 'no document was reported as SPOILED'],
  [
    'what is spoiled is given up',
    ['SPOILED', 'FAILED'],
    'the spoiled document was abandoned and not printed again',
  ],
])('C12 shows nothing when %s', async (_, types, notShown) => {
  const { client, ids, judge } = await begin('C12')
  await client.takeIn()
  for (const type of types) await client.report(ids[0], { type, reasonCode: 'JAM' })
  await client.bringOut()

  expect((await judge()).notShown).toBe(notShown)
})

const recalls = '/print-fulfilment/v1/recall-requests'

test('C13 holds postings until the recall was seen, and takes recalled documents out', async () => {
  const { client, facts, judge } = await begin('C13')
  await client.takeIn()
  const early = await client.post()
  const { json } = await client.send('GET', `${recalls}?state=OPEN`)
  const { recallId } = json.recallRequests[0]
  await client.send('POST', `${recalls}/${recallId}/accept`)
  await client.bringOut()

  expect(early.status).toBe(503)
  expect((await facts()).documents.map(({ outcome }) => outcome)).toEqual([
    'DESPATCHED',
    'RECALLED',
    'RECALLED',
    'DESPATCHED',
    'DESPATCHED',
  ])
  expect(await judge()).toEqual(good)
})

test('C13 is failed by printing or posting after the acceptance', async () => {
  const { client, ids, judge } = await begin('C13')
  await client.takeIn()
  const { json } = await client.send('GET', recalls)
  await client.send('POST', `${recalls}/${json.recallRequests[0].recallId}/accept`)
  await client.report(ids[2]!)
  const { status } = await client.post({ documentIds: [ids[0], ids[1]!] })

  expect(status).toBe(409)
  expect((await judge()).violations).toEqual([
    `${ids[1]} was to be posted after its recall was accepted`,
    `${ids[2]} was printed after its recall was accepted`,
  ])
})

test('C13 is failed by closing the run without an answer', async () => {
  const { client, judge } = await begin('C13')
  await client.takeIn()
  await client.send('GET', recalls)
  await client.bringOut()

  expect((await judge()).violations).toEqual(['the run was closed without an answer to the recall'])
})

test('C14 takes the same posting again, and no second one', async () => {
  const { client, ids, run, judge } = await begin('C14')
  await client.takeIn()
  await expect(client.post()).rejects.toThrow('lost')
  const { json } = await client.post()
  await expect(client.confirm(json.postingId)).rejects.toThrow('lost')
  await client.confirm(json.postingId)
  await client.close()
  const { rowCount } = await stage.pool.query('select from posting_run where batch_number = $1', [
    run.batchNumber,
  ])
  expect(rowCount).toBe(1)
  expect(await judge()).toEqual(good)

  await client.post({ carrier: 'Other' })
  await client.post({ documentIds: [ids[0]] }, 'posting-2')

  expect((await judge()).violations).toEqual([
    'the posting was repeated with its key and other content',
    'the same documents were posted again with another key',
  ])
})

test('C15 loses a document once, and is good when it is posted and the run closed again', async () => {
  const { client, ids, judge } = await begin('C15')
  await client.takeIn()
  const refused = await client.bringOut()
  expect(refused.json.errors).toMatchObject([{ code: 'DocumentsUnaccounted' }])
  expect(JSON.stringify(refused.json)).toContain(ids[1]!)
  expect((await judge()).outstanding).toEqual([
    `posted and confirmed, or failed: ${ids[1]}`,
    'closing is requested again after it was refused (409)',
  ])

  const { json } = await client.post({ documentIds: [ids[1]!] }, 'posting-2')
  await client.confirm(json.postingId)
  await client.close()

  expect(await judge()).toEqual(good)
})
