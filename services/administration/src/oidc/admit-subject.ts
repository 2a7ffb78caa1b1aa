import { randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from '@despatch/access/passwords'
import { noCredentialDay } from '@despatch/domain/access/no-credential'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { type Account, findAccount, insertConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { hasSameNames, updateConsumerRights } from '../consumer/change-consumer.ts'
import { lockConsumer } from '../consumer/consumers.ts'
import type { SubjectAccount } from './claims.ts'

type Admission =
  | { kind: 'admitted'; consumer: Account }
  | { kind: 'refused'; why: 'no-role' | 'disabled' }

/**
 * Gives a person whom the OpenID provider has authenticated the account of that person, with the roles and names that
 * the provider states now, and audits the sign-in and each change. Without the role operator or admin, it creates nothing and ends the
 * sessions that the person still has.
 */
export async function admitSubject(db: Db, account: SubjectAccount): Promise<Admission> {
  const { id, issuer, subject, roles, userName, name } = account
  // No one knows the password or the API key: the columns require values.
  const passwordHash = await hashPassword(randomUUID())
  const actor = `consumer:${id}`
  return transact(db, async (tx): Promise<Admission> => {
    async function refuse(why: 'no-role' | 'disabled', isKnown: boolean): Promise<Admission> {
      const detail = { issuer, subject, why }
      const consumer = isKnown ? { consumerId: id } : {}
      await insertAuditEvent(tx, { actor, action: 'console.sign-in-refused', ...consumer, detail })
      return { kind: 'refused', why }
    }

    if (!roles.includes('operator') && !roles.includes('admin')) {
      const known = await lockConsumer(tx, id)
      if (known) {
        // Sessions end with the password that they began with.
        await tx
          .updateTable('consumer')
          .set({ password_hash: passwordHash })
          .where('id', '=', id)
          .execute()
      }
      return refuse('no-role', known !== undefined)
    }
    const apiKeyHash = randomBytes(32)
    const inserted = await insertConsumer(tx, {
      id,
      name,
      userName,
      passwordHash,
      apiKeyHash,
      roles: [...roles],
      services: [],
      passwordExpiresOn: noCredentialDay,
      apiKeyExpiresOn: noCredentialDay,
      apiKeyPrefix: '',
      providerId: null,
    })
    const known = await lockConsumer(tx, id)
    if (!known) throw new Error(`Another account has the user name of the account ${id}`)
    const about = { actor, consumerId: id }
    if (inserted === 'inserted') {
      const detail = { roles, issuer, subject }
      await insertAuditEvent(tx, { ...about, action: 'consumer.created', detail })
    }
    if (known.disabledAt !== null) return refuse('disabled', true)
    if (!hasSameNames(known.roles, roles)) {
      await updateConsumerRights(tx, id, { roles })
      const detail = { roles, before: known.roles, issuer, subject }
      await insertAuditEvent(tx, { ...about, action: 'consumer.roles-set', detail })
    }
    if (known.userName !== userName || known.name !== name) {
      await tx
        .updateTable('consumer')
        .set({ user_name: userName, name })
        .where('id', '=', id)
        .execute()
      const before = { userName: known.userName, name: known.name }
      const detail = { userName, name, before, issuer, subject }
      await insertAuditEvent(tx, { ...about, action: 'consumer.renamed', detail })
    }
    const detail = { issuer, subject }
    await insertAuditEvent(tx, { ...about, action: 'console.signed-in', detail })
    return { kind: 'admitted', consumer: (await findAccount(tx, id))! }
  })
}
