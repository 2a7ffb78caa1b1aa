import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

test('200: lists events page by page, newest first, of all consumers or one', async () => {
  const one = await administration.aConsumer('first')
  const other = await administration.aConsumer('second')
  await administration.asAdmin('POST', `/consumers/${one}/disable`)

  const all = await readPages('/audit-events?limit=2')
  const ofOne = await readPages(`/audit-events?limit=1&consumerId=${one}`)

  expect(all.slice(0, 3)).toMatchObject([
    { action: 'consumer.disabled', consumerId: one, userName: 'first', actorUserName: 'admin' },
    { action: 'consumer.created', consumerId: other },
    { action: 'consumer.created', consumerId: one },
  ])
  // the events of the test's own users come last, because no user created them
  expect(all.at(-1)).toMatchObject({ actor: 'seed', userName: 'admin' })
  expect(all.at(-1)).not.toHaveProperty('actorUserName')
  expect(ofOne).toMatchObject([{ action: 'consumer.disabled' }, { action: 'consumer.created' }])
})

test('audit events cannot be changed or deleted', async () => {
  const { db } = administration

  await expect(db.updateTable('audit_event').set({ actor: 'x' }).execute()).rejects.toThrow(
    'append-only',
  )
  await expect(db.deleteFrom('audit_event').execute()).rejects.toThrow('append-only')
})

async function readPages(path: string): Promise<unknown[]> {
  const events: { id: string }[] = []
  for (let next = path; ; ) {
    const { body } = await administration.as('operator', 'GET', next)
    events.push(...body.auditEvents)
    expect(new Set(events.map(({ id }) => id)).size, 'each is listed once').toBe(events.length)
    if (!body.nextCursor) return events
    next = `${path}&cursor=${body.nextCursor}`
  }
}
