import { findAccount } from '@despatch/store/access/consumers'
import { listContracts } from '@despatch/store/access/contracts'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aProblem } from '@despatch/testing/a-problem'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { consumerWithCallbacks } from './a-consumer-with-callbacks.ts'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const letter = { production: 'letter' }
const supplied = { production: 'as-supplied', suppliedFileKey: 'pdfContent' }

const actionsOn = async (consumerId: string) =>
  (await administration.audited(`consumerId=${consumerId}`)).map(({ action }) => action)

describe('PUT /consumers/{consumerId}/contracts/{jobType}/{templateReference}', () => {
  test('200: makes waiting callbacks due when the callback order is no longer strict', async () => {
    const { db } = administration
    const { consumerId, contractId, owes } = await consumerWithCallbacks(db)
    const path = `/consumers/${consumerId}/contracts/LETTER/LETTER`
    await administration.asAdmin('PUT', path, { ...letter, callbackOrder: 'strict' })
    const waiting = { state: 'WAITING', strict_contract_id: contractId, due_at: null } as const
    const id = await owes('DUE')
    await db.updateTable('callback').set(waiting).where('id', '=', id).execute()
    const callback = () =>
      db
        .selectFrom('callback')
        .select(['state', 'strict_contract_id', 'due_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()

    await administration.asAdmin('PUT', path, { ...letter, callbackOrder: 'strict', pagesMax: 3 })
    expect(await callback()).toEqual(waiting)

    const saved = await administration.asAdmin('PUT', path, letter)
    expect(saved).toMatchObject({ status: 200, body: { callbackOrder: 'print-job' } })
    expect(await callback()).toEqual({
      state: 'DUE',
      strict_contract_id: null,
      due_at: expect.any(Date),
    })
  })

  test('201, then 200: creates a contract with defaults, then replaces all its terms', async () => {
    const consumerId = await administration.aConsumer('agrees')
    const path = `/consumers/${consumerId}/contracts/NOTIFY/NOTIFY`
    const others = {
      printsHandlingInstruction: false,
      plex: 'simplex',
      colour: false,
      pagesMax: 4,
      callbackStatuses: ['DESPATCHED', 'DESPATCHED'],
      ruleSet: 'window-letter-2026-11',
      marks: false,
      stationery: 'A4-LOGO',
      templateData: true,
      callbackReturns: true,
      callbackOrder: 'strict',
      callbackConcurrency: 64,
      holdForApproval: true,
      retentionDays: 30,
      strict: true,
      refusedRules: ['P504', 'P503', 'P504'],
      unknownMembers: 'refuse',
      lettersWithoutFile: '2027-02-01',
    }

    const first = await administration.asAdmin('PUT', path, supplied)
    const again = await administration.asAdmin('PUT', path, supplied)
    const other = await administration.asAdmin('PUT', path, { ...supplied, ...others })

    const agreed = { jobType: 'NOTIFY', templateReference: 'NOTIFY', ...supplied }
    expect(first).toMatchObject({ status: 201 })
    expect(first.body).toEqual({
      ...agreed,
      printsHandlingInstruction: true,
      plex: 'duplex',
      colour: true,
      pagesMax: 100,
      callbackStatuses: ['DESPATCHED', 'REJECTED'],
      ruleSet: 'standard-2026-11',
      addressPlacement: 'own-page',
      marks: true,
      stationery: 'A4-PLAIN',
      templateData: false,
      callbackReturns: false,
      callbackOrder: 'print-job',
      callbackConcurrency: 8,
      holdForApproval: false,
      strict: false,
      refusedRules: [],
      unknownMembers: 'report',
      unreadableFiles: 'refuse',
      lettersWithoutFile: 'report',
    })
    expect(again).toMatchObject({ status: 200, body: first.body })
    expect(other).toMatchObject({ status: 200 })
    expect(other.body).toEqual({
      ...agreed,
      ...others,
      callbackStatuses: ['DESPATCHED'],
      refusedRules: ['P503', 'P504'],
      addressPlacement: 'own-page',
      unreadableFiles: 'refuse',
    })
    expect(await actionsOn(consumerId)).toEqual([
      ...['contract.saved', 'contract.saved', 'consumer.created'],
    ])
  })

  test('200: keeps the refusal terms of an existing contract unless the request has them', async () => {
    const { path } = await aContractInUse('as-it-is')
    const kept = {
      unknownMembers: 'refuse',
      unreadableFiles: 'report',
      lettersWithoutFile: '2027-02-01',
    }
    await administration.asAdmin('PUT', path, { ...letter, ...kept })

    const preview = await administration.asAdmin('POST', `${path}/preview`, {
      ...letter,
      pagesMax: 4,
    })
    const same = await administration.asAdmin('PUT', path, { ...letter, pagesMax: 4 })
    const other = await administration.asAdmin('PUT', path, {
      ...letter,
      unreadableFiles: 'refuse',
    })

    expect(preview.body.changes).toEqual([{ term: 'pagesMax', before: 100, after: 4 }])
    expect(same.body).toMatchObject(kept)
    expect(other.body).toMatchObject({ ...kept, unreadableFiles: 'refuse' })
  })

  test('201: a job type and template may have any characters', async () => {
    const consumerId = await administration.aConsumer('any-characters')
    const [jobType, templateReference] = ['a/b ?#%', 'é😀']
    const pair = `${encodeURIComponent(jobType)}/${encodeURIComponent(templateReference)}`

    await administration.asAdmin('PUT', `/consumers/${consumerId}/contracts/${pair}`, letter)

    const { body } = await administration.asAdmin('GET', `/consumers/${consumerId}/contracts`)
    expect(body.contracts).toMatchObject([{ jobType, templateReference }])
  })

  test('409: the production changes only when no print job is or will be made with the contract', async () => {
    const { consumerId, path, finish } = await aContractInUse('in-use')

    const inUse = await administration.asAdmin('PUT', path, supplied)
    await administration.asAdmin('DELETE', path)
    await finish()
    const tooSoon = await administration.asAdmin('PUT', path, supplied)

    const detail =
      'production and suppliedFileKey can change only after the contract has been retired for 5 seconds and while none of its print jobs is in QUARANTINE or VALIDATING'
    for (const answer of [inUse, tooSoon]) {
      expect(answer).toMatchObject(aProblem(409, { code: 'ContractInUse', detail }))
    }
    await retireLongAgo(consumerId)
    expect(await administration.asAdmin('PUT', path, supplied)).toMatchObject({
      status: 200,
      body: supplied,
    })
  })

  test('409: a print job of a contract that was retired long ago is still in preparation', async () => {
    const { consumerId, path } = await aContractInUse('slow')
    await retireLongAgo(consumerId)

    const other = await administration.asAdmin('PUT', path, supplied)
    const simplex = await administration.asAdmin('PUT', path, { ...letter, plex: 'simplex' })

    expect(other.status).toBe(409)
    expect([simplex.status, simplex.body.plex]).toEqual([200, 'simplex'])
  })

  const asSupplied = 'production is as-supplied'
  test.for<[terms: object, field: string, rule: string]>([
    [{ production: 'as-supplied' }, 'suppliedFileKey', `must be given when ${asSupplied}`],
    [{ suppliedFileKey: 'pdf' }, 'suppliedFileKey', `must be left out unless ${asSupplied}`],
    [
      { refusedRules: ['P503', 'P101'] },
      'refusedRules[1]',
      'must be one of P503, P504, P505, P506, P507, P508, P509, P510, P511, P512, P513, P514, P515',
    ],
    [
      { unreadableFiles: '2027-02-30' },
      'unreadableFiles',
      'must be report, refuse, or a day such as 2027-02-01',
    ],
    [
      { ...supplied, addressPlacement: 'first-page' },
      'addressPlacement',
      `must be own-page or left out when ${asSupplied}`,
    ],
  ])('400: %o: %s %s', async ([terms, title, rule]) => {
    const path = `/consumers/${administration.ids.consumer}/contracts/LETTER/LETTER`
    const given = { ...letter, ...terms }

    for (const [method, at] of [
      ['PUT', path],
      ['POST', `${path}/preview`],
    ] as const) {
      expect(await administration.asAdmin(method, at, given)).toMatchObject(
        aProblem(400, { title, detail: `${title} ${rule}` }),
      )
    }
  })
})

describe('DELETE /consumers/{consumerId}/contracts/{jobType}/{templateReference}', () => {
  test('200: a retired contract refuses print jobs, serves existing ones, and can be restored', async () => {
    const { consumerId, path } = await aContractInUse('retires')

    const retired = await administration.asAdmin('DELETE', path)
    const again = await administration.asAdmin('DELETE', path)
    const whileRetired = await listContracts(administration.db, consumerId)
    const listed = await administration.asAdmin('GET', `/consumers/${consumerId}/contracts`)
    const back = await administration.asAdmin('PUT', path, letter)

    expect(retired).toMatchObject({ status: 200, body: { retiredAt: expect.any(String) } })
    expect(again.body).toEqual(retired.body)
    expect(whileRetired).toEqual([])
    expect(listed.body).toEqual({ contracts: [retired.body] })
    expect(back.status).toBe(200)
    expect(back.body).not.toHaveProperty('retiredAt')
    expect(await listContracts(administration.db, consumerId)).toHaveLength(1)
    expect(await actionsOn(consumerId)).toEqual([
      ...['contract.saved', 'contract.retired', 'contract.saved', 'consumer.created'],
    ])
  })

  test('404: no such contract', async () => {
    const path = `/consumers/${administration.ids.consumer}/contracts/A/B`

    const detail = 'There is no contract for jobType A and templateReference B'
    expect(await administration.asAdmin('DELETE', path)).toMatchObject(
      aProblem(404, { code: 'ContractNotFound', detail }),
    )
  })
})

describe('POST /consumers/{consumerId}/contracts/{jobType}/{templateReference}/preview', () => {
  test('200: returns the terms that would change, and changes nothing', async () => {
    const { consumerId, path, preview, put } = await aConsumer('previews')
    const terms = { ...letter, pagesMax: 24, retentionDays: 30 }

    const created = await preview(letter)
    await put(letter)
    const same = await preview(letter)
    const changed = await preview(terms)
    await administration.asAdmin('DELETE', path)
    const again = await preview(letter)

    expect(created).toMatchObject({ effect: 'create' })
    expect(created.changes).toContainEqual({ term: 'production', after: 'letter' })
    expect(same).toEqual({ effect: 'none', changes: [] })
    expect(changed).toEqual({
      effect: 'change',
      changes: [
        { term: 'pagesMax', before: 100, after: 24 },
        { term: 'retentionDays', after: 30 },
      ],
    })
    expect(again).toEqual({ effect: 'reactivate', changes: [] })
    const { body } = await administration.asOperator('GET', `/consumers/${consumerId}`)
    expect(body.contracts).toMatchObject([{ pagesMax: 100, retiredAt: expect.any(String) }])
  })

  test('200: returns why terms cannot change while print jobs are in preparation', async () => {
    const consumer = await insertConsumer(administration.db)
    await saveSubmissions(administration.pool, [aSubmission(consumer)])
    const path = `/consumers/${consumer.consumerId}/contracts/LETTER/LETTER/preview`

    expect((await administration.asOperator('POST', path, supplied)).body).toMatchObject({
      effect: 'change',
      changes: expect.arrayContaining([
        { term: 'production', before: 'letter', after: 'as-supplied' },
        { term: 'suppliedFileKey', after: 'pdfContent' },
      ]),
      whyNot: expect.stringContaining('production and suppliedFileKey can change only after'),
    })
  })
})

describe('GET /consumers/{consumerId}/contract-changes', () => {
  test('200: lists the changes of terms with their actors, newest first, in pages', async () => {
    const { consumerId, path, put } = await aConsumer('changes')
    await put(letter)
    await administration.asAdmin('PUT', `/consumers/${consumerId}/contracts/OTHER/OTHER`, letter)
    await put({ ...letter, pagesMax: 24, callbackStatuses: ['DESPATCHED'] })
    await administration.asAdmin('DELETE', path)

    const list = (query: string) =>
      administration.asOperator('GET', `/consumers/${consumerId}/contract-changes?${query}`)
    const first = await list('limit=2')
    const next = await list(`limit=2&cursor=${first.body.nextCursor}`)

    const who = {
      at: expect.stringMatching(/Z$/),
      actor: `consumer:${administration.ids.admin}`,
      actorUserName: expect.any(String),
    }
    const of = { jobType: 'LETTER', templateReference: 'LETTER' }
    const statuses = { before: ['DESPATCHED', 'REJECTED'], after: ['DESPATCHED'] }
    const changes = [
      { term: 'callbackStatuses', ...statuses },
      { term: 'pagesMax', before: 100, after: 24 },
    ]
    expect(first.body.contractChanges).toEqual([
      { ...who, ...of, effect: 'retire', changes: [] },
      { ...who, ...of, effect: 'change', changes },
    ])
    expect(next.body.contractChanges).toEqual([
      { ...who, jobType: 'OTHER', templateReference: 'OTHER', effect: 'create', changes: [] },
      { ...who, ...of, effect: 'create', changes: [] },
    ])
  })

  test('200: lists the first change of a contract that was created with the deployment', async () => {
    const { consumerId } = await insertConsumer(administration.db)
    const path = `/consumers/${consumerId}`
    const terms = { ...letter, pagesMax: 24 }
    await administration.asAdmin('PUT', `${path}/contracts/LETTER/LETTER`, terms)

    const { body } = await administration.asOperator('GET', `${path}/contract-changes`)

    const pagesMax = { term: 'pagesMax', before: 100, after: 24 }
    expect(body.contractChanges).toMatchObject([
      { effect: 'change', changes: expect.arrayContaining([pagesMax]) },
    ])
  })
})

/** A consumer, and what changes its contract LETTER/LETTER. */
async function aConsumer(userName: string) {
  const consumerId = await administration.aConsumer(userName)
  const path = `/consumers/${consumerId}/contracts/LETTER/LETTER`
  const preview = async (body: unknown) =>
    (await administration.asOperator('POST', `${path}/preview`, body)).body
  const put = (body: unknown) => administration.asAdmin('PUT', path, body)
  return { consumerId, path, preview, put }
}

/** A contract LETTER/LETTER with a print job in QUARANTINE, and a function that ends the print job. */
async function aContractInUse(userName: string) {
  const { db, pool } = administration
  const { consumerId, path, put } = await aConsumer(userName)
  await put(letter)
  const [contract] = await listContracts(db, consumerId)
  const consumer = await findAccount(db, consumerId)
  const submission = aSubmission({
    consumerId,
    apiKeyHash: consumer!.apiKeyHash.toString('hex'),
    contractId: contract!.id,
  })
  await saveSubmissions(pool, [submission])
  const finish = () =>
    db.transaction().execute(async (tx) => {
      const end = { key: submission.key, comment: 'it ends' }
      await movePrintJobs(tx, [end], 'reject', { actor: 'test' })
    })
  return { consumerId, path, put, finish }
}

async function retireLongAgo(consumerId: string): Promise<void> {
  await administration.db
    .updateTable('contract')
    .set({ retired_at: new Date(Date.now() - 60_000) })
    .where('consumer_id', '=', consumerId)
    .execute()
}
