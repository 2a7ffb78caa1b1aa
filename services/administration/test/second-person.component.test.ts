import { randomUUID } from 'node:crypto'
import type { Role } from '@despatch/domain/access/caller'
import { ageAuditEvents } from '@despatch/testing/age-audit-events'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aWaitingReprint } from './a-waiting-reprint.ts'
import { type Administration, anAdministration, passwordOfAll } from './an-administration.ts'

const settings = { DESPATCH_BULK_SECOND_PERSON_ABOVE: '0' }
const administration = await shared(anAdministration({ settings }))
const runs = await shared(somePrintRuns(administration.url))

type Account = { id: string; userName: string; cookie: string }

const reason = 'wrong enclosure'
const password = passwordOfAll

/** Calls an operation with a session of the console. */
async function as(
  { cookie }: Pick<Account, 'cookie'>,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  at: Administration = administration,
) {
  const answer = await at.service.api.inject({
    method,
    url: `/administration/v1${path}`,
    headers: { cookie, 'x-despatch-console': '1', 'sec-fetch-site': 'same-origin' },
    ...(body && { body }),
  })
  return {
    status: answer.statusCode,
    body: answer.json(),
    cookie: String(answer.headers['set-cookie'] ?? '').split(';', 1)[0]!,
  }
}

async function signIn(userName: string, given: string, at?: Administration): Promise<string> {
  const body = { userName, password: given }
  return (await as({ cookie: '' }, 'POST', '/sessions', body, at)).cookie
}

/** An account that no other account has created, 30 days old. */
async function aFounder(roles: readonly Role[] = ['operator', 'admin']): Promise<Account> {
  const userName = `founder-${randomUUID()}`
  const id = await administration.addUser(userName, roles)
  await ageAuditEvents(administration.pool, { days: 30, of: [id] })
  return { id, userName, cookie: await signIn(userName, password) }
}

/** An account that another account creates with the API. */
async function createdBy(creator: Account, roles: readonly Role[] = ['operator', 'admin']) {
  const userName = `created-${randomUUID()}`
  const { body } = await as(creator, 'POST', '/consumers', { userName, name: userName, roles })
  return { id: body.consumerId, userName, cookie: await signIn(userName, body.password) }
}

/** Resets the password of an account and signs in with it, as the actor can. */
async function resetBy(actor: Account, account: Account): Promise<Account> {
  const path = `/consumers/${account.id}/reset-password`
  const { body } = await as(actor, 'POST', path, { password })
  return { ...account, cookie: await signIn(account.userName, body.password) }
}

const age = (days: number, ...accounts: Account[]) =>
  ageAuditEvents(administration.pool, { days, of: accounts.map(({ id }) => id) })

async function planAndConfirm(planner: Account, confirmer: Account) {
  const planned = { action: 'hold', reason, printJobKeys: [randomUUID()] }
  const { body: plan } = await as(planner, 'POST', '/bulk-actions', planned)
  expect(plan.needsSecondPerson).toBe(true)
  const { digest, printJobCount } = plan
  const path = `/bulk-actions/${plan.bulkActionId}/confirm`
  return as(confirmer, 'POST', path, { digest, printJobCount })
}

const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dependent = (detail: string) => ({
  status: 403,
  body: { errors: [{ code: 'Forbidden', detail }] },
})
const recent = (subject: Account, deed: string, actor: Account) =>
  dependent(
    `The second person must be independent of the first for 7 days: ${subject.userName} was ${deed} by ${actor.userName} on ${today.format()}`,
  )

const moreRoles = { roles: ['operator', 'admin', 'address-editor'] }

describe('the confirmer of a bulk action', () => {
  test('is refused if the planner created the account, at any time', async () => {
    const planner = await aFounder()
    const confirmer = await createdBy(planner)

    await age(400, confirmer)
    expect(await planAndConfirm(planner, confirmer)).toMatchObject(
      dependent(
        expect.stringContaining('cannot be the second person for the account that created it'),
      ),
    )
  })

  test('is refused for 7 days after the planner reset the account', async () => {
    const [planner, other] = [await aFounder(), await aFounder()]
    const confirmer = await resetBy(planner, other)

    expect(await planAndConfirm(planner, confirmer)).toMatchObject(
      recent(other, 'given another password', planner),
    )
    await age(7, other)
    expect(await planAndConfirm(planner, confirmer)).toMatchObject({ status: 200 })
  })

  test.for<[deed: string, requests: (readonly ['POST' | 'PUT', path: string, body?: object])[]]>([
    ['given another API key', [['POST', 'rotate-key', { password }]]],
    ['given roles', [['PUT', 'roles', moreRoles]]],
    [
      'enabled',
      [
        ['POST', 'disable'],
        ['POST', 'enable'],
      ],
    ],
  ])('is refused if the account was %s by the planner', async ([deed, requests]) => {
    const [planner, confirmer] = [await aFounder(), await aFounder()]
    for (const [method, path, body] of requests) {
      const { status } = await as(planner, method, `/consumers/${confirmer.id}/${path}`, body)
      expect(status).toBe(200)
    }

    // some of these end its session
    confirmer.cookie = await signIn(confirmer.userName, password)
    expect(await planAndConfirm(planner, confirmer)).toMatchObject(recent(confirmer, deed, planner))
  })

  test('is not refused if the planner removed a role', async () => {
    const [planner, other] = [await aFounder(), await aFounder()]
    await as(planner, 'PUT', `/consumers/${other.id}/roles`, { roles: ['operator'] })

    expect(await planAndConfirm(planner, other)).toMatchObject({ status: 200 })
  })

  test('is refused if the planner controls it through a third account', async () => {
    const [planner, other] = [await aFounder(), await aFounder()]
    const third = await createdBy(planner)
    await as(third, 'PUT', `/consumers/${other.id}/roles`, moreRoles)

    expect(await planAndConfirm(planner, other)).toMatchObject(
      dependent(
        `The second person must be independent of the first for 7 days: ${third.userName} was created by ${planner.userName} on ${today.format()}, ` +
          `${other.userName} was given roles by ${third.userName} on ${today.format()}`,
      ),
    )
    await age(7, third)
    expect(await planAndConfirm(planner, other)).toMatchObject({ status: 200 })
  })

  test('is refused for 7 days if it has created the planner, or if a third account controls both', async () => {
    const third = await aFounder()
    const [one, another] = [await createdBy(third), await createdBy(third)]

    expect(await planAndConfirm(one, third)).toMatchObject(recent(one, 'created', third))
    expect(await planAndConfirm(one, another)).toMatchObject({ status: 403 })
    await age(7, one)
    expect(await planAndConfirm(one, third)).toMatchObject({ status: 200 })
    expect(await planAndConfirm(one, another)).toMatchObject({ status: 200 })
  })
})

describe('the decider on a reprint', () => {
  const decisionsOn = async (reprintId: string, decider: Account) => [
    await as(decider, 'POST', `/reprints/${reprintId}/authorise`),
    await as(decider, 'POST', `/reprints/${reprintId}/refuse`, { reason }),
  ]

  test('is refused both decisions for 7 days after creating the requester', async () => {
    const admin = await aFounder()
    const provider = { userName: `provider-${randomUUID()}`, name: 'P', roles: ['provider'] }
    const { body } = await as(admin, 'POST', '/consumers', { ...provider, providerId: 'north' })
    const requester = { ...provider, id: body.consumerId, cookie: '' }
    const { reprintId } = await aWaitingReprint(runs, requester.id)
    const other = await aWaitingReprint(runs, requester.id)

    for (const refused of await decisionsOn(reprintId, admin)) {
      expect(refused).toMatchObject(recent(requester, 'created', admin))
    }
    const { body: waiting } = await as(admin, 'GET', '/reprints?state=WAITING')
    expect(waiting).not.toHaveProperty('secondPersonOff')
    expect(waiting.reprints).toContainEqual(expect.objectContaining({ reprintId }))
    expect((await decisionsOn(other.reprintId, await aFounder()))[0]).toMatchObject({ status: 200 })
    await age(7, requester)
    expect((await decisionsOn(reprintId, admin))[0]).toMatchObject({ status: 200 })
  })
})

const off = expect.stringContaining(
  'No second person is required: no second operator has existed for 7 days yet.',
)

describe('an installation with one founder', () => {
  test('lets the founder decide on a reprint of an account that the founder has reset, and says so', async () => {
    const fresh = await anAdministration({ settings, isNew: true })
    onTestFinished(fresh.close)
    const theirs = await somePrintRuns(fresh.url)
    onTestFinished(theirs.close)
    const founder = { cookie: await signIn('admin', password, fresh) }
    const { provider } = fresh.ids
    await as(founder, 'POST', `/consumers/${provider}/reset-password`, { password }, fresh)
    const [{ reprintId }, other] = [
      await aWaitingReprint(theirs, provider),
      await aWaitingReprint(theirs, provider),
    ]
    const authorise = (id: string) =>
      as(founder, 'POST', `/reprints/${id}/authorise`, undefined, fresh)

    const listed = await as(founder, 'GET', '/reprints', undefined, fresh)
    expect(listed.body).toMatchObject({ secondPersonOff: off })
    expect(await authorise(reprintId)).toMatchObject({ status: 200 })
    const { body } = await as(founder, 'GET', '/audit-events?limit=1', undefined, fresh)
    expect(body.auditEvents).toMatchObject([
      { action: 'reprint.authorised', detail: { reprintId, secondPerson: 'off' } },
    ])

    await ageAuditEvents(fresh.pool, { days: 7, of: [fresh.ids.admin, fresh.ids.operator] })
    expect(await authorise(other.reprintId)).toMatchObject({ status: 403 })
    const later = await as(founder, 'GET', '/reprints', undefined, fresh)
    expect(later.body).not.toHaveProperty('secondPersonOff')
  })

  test('requires no second person until a second operator has existed for 7 days, and says so', async () => {
    const fresh = await anAdministration({ settings, isNew: true })
    onTestFinished(fresh.close)
    const { admin, operator } = fresh.ids
    await fresh.pool.query(`update consumer set disabled_at = now() where id <> $1`, [admin])
    const founder = { cookie: await signIn('admin', password, fresh) }
    const plan = async () => {
      const planned = { action: 'hold', reason, printJobKeys: [randomUUID()] }
      return (await as(founder, 'POST', '/bulk-actions', planned, fresh)).body
    }
    const confirm = ({ bulkActionId, digest, printJobCount }: Record<string, unknown>) => {
      const path = `/bulk-actions/${bulkActionId}/confirm`
      return as(founder, 'POST', path, { digest, printJobCount }, fresh)
    }

    const first = await plan()
    expect(first).toMatchObject({ needsSecondPerson: false, secondPersonOff: off })
    expect(await confirm(first)).toMatchObject({ status: 200, body: { confirmedBy: 'admin' } })
    const { body } = await as(founder, 'GET', '/audit-events?limit=100', undefined, fresh)
    expect(
      body.auditEvents.find(({ action }: { action: string }) => action === 'bulk-action.planned'),
    ).toMatchObject({ detail: { secondPerson: 'off' } })

    await ageAuditEvents(fresh.pool, { days: 30, of: [admin] })
    expect(await plan()).toMatchObject({ needsSecondPerson: false, secondPersonOff: off })
    // Disabling the second operator does not turn the rule off.
    await ageAuditEvents(fresh.pool, { days: 7, of: [operator] })
    const later = await plan()
    expect(later).toMatchObject({ needsSecondPerson: true })
    expect(later).not.toHaveProperty('secondPersonOff')
    expect(await confirm(later)).toMatchObject({ status: 403 })
    // Nor do other roles for it: it was an operator before.
    const setRoles = await as(founder, 'PUT', `/consumers/${operator}/roles`, moreRoles, fresh)
    expect(setRoles.status).toBe(200)
    expect(await plan()).toMatchObject({ needsSecondPerson: true })
  })
})
