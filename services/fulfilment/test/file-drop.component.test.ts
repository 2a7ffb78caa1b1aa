import { aProblem } from '@despatch/testing/a-problem'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test, vi } from 'vitest'
import { withFileDropLock } from '../src/file-drop/file-drop-pass.ts'
import { startFileDrop } from '../src/file-drop/start-file-drop.ts'
import type { FileDropObjects } from '../src/file-drop/take-files-in.ts'
import { aFileDrop, anEvent, aPostingOf } from './a-file-drop.ts'

const drop = await shared(aFileDrop())
const { rows } = drop

test('a provider that uses only files takes a run from its release to its close', async () => {
  const { batchNumber, out, documentIds, manifest, acknowledgement, printJobs } =
    await drop.aRunLaidOut(4)
  const [refused, spoiled, ...plain] = documentIds as [string, string, ...string[]]

  await drop.lay('01.acknowledgement.json', {
    ...acknowledgement,
    refusals: [{ documentId: refused, reasonCode: 'STOCK', reason: 'No such paper' }],
  })
  await drop.lay('02.events.json', {
    batchNumber,
    events: [
      anEvent(spoiled, 'PRINTED'),
      anEvent(spoiled, 'SPOILED'),
      ...plain.map((documentId) => anEvent(documentId, 'PRINTED')),
    ],
  })
  await drop.lay('03.reprints.json', {
    batchNumber,
    documents: [{ documentId: spoiled, reasonCode: 'JAM' }],
  })
  await drop.lay('04.close.json', { batchNumber })
  await drop.pass()

  expect(await drop.names('in')).toEqual([])
  expect(await drop.read('ack/01.acknowledgement.json')).toMatchObject({
    status: 200,
    body: { state: 'ACCEPTED_WITH_EXCEPTIONS', refusedCount: 1 },
  })
  expect(await drop.read('ack/02.events.json')).toMatchObject({ status: 200 })
  expect(await drop.read('error/04.close.json')).toMatchObject(
    aProblem(409, { code: 'DocumentsUnaccounted' }, {}, {}),
  )
  expect(await drop.read('error/04.close.input.json')).toEqual({ batchNumber })
  expect(await drop.read(`${out}/reprints/${spoiled}-2.json`)).toMatchObject({
    batchNumber,
    reprints: [{ documentId: spoiled, attempt: 2, state: 'AUTHORISED' }],
  })

  await drop.lay('05.events.json', { batchNumber, events: [anEvent(spoiled, 'PRINTED', 2)] })
  await drop.lay('06.posting.json', aPostingOf(batchNumber))
  await drop.pass()
  const posting = await drop.read('ack/06.posting.json')
  expect(posting).toMatchObject({ status: 201, body: { state: 'SAVED', documentCount: 3 } })

  await drop.lay('07.confirm.json', { postingId: posting.body.postingId })
  await drop.lay('08.close.json', { batchNumber })
  await drop.lay('09.heartbeat.json', {})
  await drop.pass()

  expect(await drop.read('ack/07.confirm.json')).toMatchObject({ body: { state: 'CONFIRMED' } })
  expect(await drop.read('ack/08.close.json')).toMatchObject({
    status: 200,
    body: { state: 'CLOSED', despatched: 3, refused: 1, missing: 0 },
  })
  expect(await drop.read('ack/09.heartbeat.json')).toMatchObject({ status: 200 })
  expect(await drop.names(out)).toEqual([
    'manifest.json',
    'ready.json',
    `reprints/${spoiled}-2.json`,
  ])
  const refusedSha256 = manifest.documents[0].sha256
  expect(await drop.statuses(printJobs.map(({ key }) => key))).toEqual(
    printJobs.map(({ sha256 }) => (sha256 === refusedSha256 ? 'REJECTED' : 'DESPATCHED')),
  )
})

describe('the output folder of a provider', () => {
  test('has the claimed run as over HTTP', async () => {
    const { batchNumber, out, manifest, printJobs } = await drop.aRunLaidOut(3)

    const told = await drop.call('GET', `/print-runs/${batchNumber}/manifest`, {
      provider: drop.provider,
    })
    expect(manifest).toEqual(told.body)
    expect(await drop.read(`${out}/ready.json`)).toMatchObject({
      batchNumber,
      state: 'CLAIMED',
      manifestDigest: manifest.manifestDigest,
      documentCount: 3,
    })
    expect(await drop.names(out)).toEqual([
      ...manifest.documents.map(
        ({ documentId }: { documentId: string }) => `documents/${documentId}.pdf`,
      ),
      'manifest.json',
      'ready.json',
    ])
    for (const { documentId, sha256 } of manifest.documents) {
      const { content } = printJobs.find((printJob) => printJob.sha256 === sha256)!
      expect(await drop.readBytes(`${out}/documents/${documentId}.pdf`)).toEqual(content)
    }
  })

  test('stays unchanged in later passes', async () => {
    const { out } = await drop.aRunLaidOut(1)
    const before = await drop.objects.head(`${drop.root}/${out}/ready.json`)
    const puts = vi.fn(drop.objects.put)

    await drop.pass({ objects: { ...drop.objects, put: puts } })

    expect(puts).not.toHaveBeenCalled()
    expect(await drop.objects.head(`${drop.root}/${out}/ready.json`)).toEqual(before)
  })

  test('marks a run with a missing file as not ready, and the others as ready', async () => {
    const broken = await drop.aRunToTake(1)
    await drop.objects.remove(`documents/${broken.printJobs[0]!.sha256}.pdf`)
    await drop.pass()
    expect(await drop.read(`out/${broken.batchNumber}/ready.json`)).toBeUndefined()

    await drop.putDocument(broken.printJobs[0]!.content, broken.printJobs[0]!.sha256)
    await drop.pass()

    expect(await drop.read(`out/${broken.batchNumber}/ready.json`)).toBeDefined()
  })

  test('has a reprint that an operator authorised later', async () => {
    const { batchNumber, out, documentIds } = await drop.anAcknowledgedRun(2)
    const [documentId] = documentIds
    await rows(`update print_site set reprints_free_max = 0, reprints_free_percent = 0`)
    await drop.lay('l1.events.json', { batchNumber, events: [anEvent(documentId!, 'SPOILED')] })
    await drop.lay('l2.reprints.json', {
      batchNumber,
      documents: [{ documentId, reasonCode: 'JAM' }],
    })
    await drop.pass()
    const waiting = await drop.names(`${out}/reprints`)

    await rows(
      `update reprint set state = 'AUTHORISED', decided_at = now() where batch_number = $1`,
      batchNumber,
    )
    await drop.pass()

    expect(waiting).toEqual([])
    expect(await drop.names(`${out}/reprints`)).toEqual([`${documentId}-2.json`])
  })

  test('has a recall, which the provider answers with a file', async () => {
    const { batchNumber, documentIds } = await drop.anAcknowledgedRun(2)
    const recallId = crypto.randomUUID()
    await rows(
      `with request as (
         insert into recall_request (id, batch_number, provider_id, reason, requested_by)
         values ($1, $2, $3, 'Wrong enclosure', 'test') returning id)
       insert into recall_document (recall_id, document_id) select id, $4 from request`,
      recallId,
      batchNumber,
      drop.provider,
      documentIds[0],
    )
    await drop.pass()
    expect(await drop.read(`out/recalls/${recallId}.json`)).toMatchObject({
      recallId,
      state: 'OPEN',
      documents: [{ documentId: documentIds[0] }],
    })

    await drop.lay('r1.recall-answer.json', { recallId, answer: 'accept' })
    await drop.pass()

    expect(await drop.read('ack/r1.recall-answer.json')).toMatchObject({
      status: 200,
      body: { state: 'ACCEPTED' },
    })
  })

  test('says that a run was reassigned', async () => {
    const { batchNumber, out } = await drop.aRunLaidOut(1)
    await drop.voidRun({ batchNumber })

    await drop.pass()

    expect(await drop.read(`${out}/voided.json`)).toMatchObject({ batchNumber })
    expect(await drop.names(`${out}/documents`)).toEqual([])
  })
})

describe('an invalid file', () => {
  test.each([
    ['of an unknown kind', 'b1.manifest.json', {}, 404],
    ['with signs that an address encodes', '100%+ä?#.events.json', {}, 404],
    ['that is not JSON', 'b4.events.json', Buffer.from('{"events'), 400],
    ['of a run that is not there', 'b6.close.json', { batchNumber: 'none' }, 404],
    ['of over 16 MiB', 'b7.events.json', Buffer.alloc(16 * 1024 * 1024 + 1, ' '), 413],
  ])('(%s) is answered and stored in error/', async (_, name, content, status) => {
    const before = await drop.names('error')
    await drop.lay(name, content)

    await drop.pass()

    const added = (await drop.names('error')).filter((each) => !before.includes(each))
    const answer = added.find((each) => !each.endsWith('.input.json'))
    expect(added).toHaveLength(2)
    expect(added).toContain(answer?.replace(/\.json$/, '.input.json'))
    expect(await drop.read(`error/${answer}`)).toMatchObject(
      aProblem(status, expect.objectContaining({ detail: expect.any(String) })),
    )
    expect(await drop.names('in')).toEqual([])
  })

  test('does not delay the files after it', async () => {
    await drop.lay('c1.events.json', [])
    await drop.lay('c2.heartbeat.json', {})

    await drop.pass()

    expect(await drop.read('ack/c2.heartbeat.json')).toMatchObject({ status: 200 })
  })
})

test('files cannot refer to another provider, by name or by number', async () => {
  const { batchNumber } = await drop.aRunToTake(1)
  await rows(`update print_run set provider_id = 'south' where batch_number = $1`, batchNumber)
  const theirs = 'file-drop/south/in/a.heartbeat.json'
  await drop.objects.put(theirs, Buffer.from('{}'), 'application/json')
  await drop.lay('o1.close.json', { batchNumber })

  await drop.pass()

  expect(await drop.objects.head(theirs)).toBeDefined()
  expect(await drop.read('error/o1.close.json')).toMatchObject({ status: 404 })
  expect(await drop.names(`out/${batchNumber}`)).toEqual([])
  await drop.objects.remove(theirs)
})

test.each([503, 429, 500])(
  'a file that is answered with %i stays, with the files after it',
  async (status) => {
    await drop.lay('d1.heartbeat.json', {})
    await drop.lay('d2.heartbeat.json', {})
    const client = { ...drop.client, call: async () => ({ status, bytes: Buffer.from('{}') }) }

    await drop.pass({ client })
    const stayed = await drop.names('in')
    await drop.pass()

    expect(stayed).toEqual(['d1.heartbeat.json', 'd2.heartbeat.json'])
    expect(await drop.names('in')).toEqual([])
  },
)

test('a file that cannot be decided delays only files of its print run', async () => {
  const [stuck, other] = [await drop.anAcknowledgedRun(1), await drop.anAcknowledgedRun(1)]
  const { batchNumber } = other
  const posted = await drop.post({ batchNumber }, { provider: drop.provider })
  await drop.lay('h1.events.json', {
    batchNumber: stuck.batchNumber,
    events: [anEvent(stuck.documentIds[0]!, 'PRINTED')],
  })
  await drop.lay('h2.posting.json', {
    ...aPostingOf(''),
    batchNumber: undefined,
    printRuns: [{ batchNumber: stuck.batchNumber }],
  })
  await drop.lay('h3.confirm.json', { postingId: posted.body.postingId })
  await drop.lay('h4.returns.json', { returns: [] })
  await drop.lay('h5.close.json', { batchNumber: other.batchNumber })
  await drop.lay('h6.heartbeat.json', {})
  const client: typeof drop.client = {
    ...drop.client,
    call: async (caller, request) =>
      request.path.endsWith('/events')
        ? { status: 500, bytes: Buffer.from('{}') }
        : drop.client.call(caller, request),
  }

  await drop.pass({ client })
  const stayed = await drop.names('in')
  const answers = await Promise.all(
    ['h3.confirm', 'h5.close', 'h6.heartbeat'].map((name) => drop.read(`ack/${name}.json`)),
  )
  await drop.pass()

  expect(stayed).toEqual(['h1.events.json', 'h2.posting.json', 'h4.returns.json'])
  expect(answers).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }])
  expect(await drop.names('in')).toEqual([])
  expect(await drop.read('ack/h2.posting.json')).toMatchObject({ status: 201 })
})

test('a file that is replaced while it is being read is read again', async () => {
  await drop.lay('e1.heartbeat.json', {})
  const put: FileDropObjects['put'] = async (key, bytes, contentType) => {
    await drop.objects.put(key, bytes, contentType)
    if (key.includes('/ack/')) await drop.lay('e1.heartbeat.json', { sentAt: 'never' })
  }

  await drop.pass({ objects: { ...drop.objects, put } })
  const left = await drop.names('in')
  await drop.pass()

  expect(left).toEqual(['e1.heartbeat.json'])
  expect(await drop.read('error/e1.heartbeat.json')).toMatchObject({ status: 400 })
})

test('only one process at a time exchanges the files of a provider', async () => {
  await drop.lay('f1.heartbeat.json', {})

  await withFileDropLock(drop.database.pool, drop.provider, async () => {
    await drop.pass()
    expect(await drop.names('in')).toEqual(['f1.heartbeat.json'])
  })
  await drop.pass()

  expect(await drop.names('in')).toEqual([])
})

test('a provider without a consumer is skipped and logged', async () => {
  await drop.lay('g1.heartbeat.json', {})
  const warn = vi.spyOn(drop.log, 'warn')
  const disable = (at: string) =>
    rows(`update consumer set disabled_at = ${at} where provider_id = $1`, drop.provider)

  await disable('now()')
  await drop.pass()
  const left = await drop.names('in')
  await disable('null')
  await drop.pass()

  expect(warn.mock.calls).toEqual([[{ providerId: drop.provider }, 'file-drop.no-consumer']])
  expect(left).toEqual(['g1.heartbeat.json'])
  expect(await drop.names('in')).toEqual([])
})

test('files are exchanged repeatedly until the exchange closes, and files of ended runs are removed', async () => {
  const { batchNumber, out } = await drop.aRunLaidOut(1)
  await rows(
    `update print_run set state = 'CLOSED', closed_at = now() where batch_number = $1`,
    batchNumber,
  )
  const { database, objects, log } = drop
  const composers = { printStreamPart: () => Promise.reject(new Error('not wanted')) }
  const started = await startFileDrop({ everyMs: 20, database, objects, composers, log })
  const answered = async (name: string) => {
    await drop.lay(`${name}.heartbeat.json`, {})
    const answer = () => drop.read(`ack/${name}.heartbeat.json`)
    return eventually(answer, { message: `${name} is answered` })
  }

  const answers = [await answered('s1'), await answered('s2')]
  await eventually(async () => (await drop.names(`${out}/documents`)).length === 0, {
    message: 'the documents of the closed run are removed',
  })
  await started.close()
  await drop.lay('s3.heartbeat.json', {})

  expect(answers).toMatchObject([{ status: 200 }, { status: 200 }])
  expect(await drop.names('in')).toEqual(['s3.heartbeat.json'])
  await drop.pass()
})
