import { issueSerialNumbers as operation } from '@despatch/contracts/administration/provider-operations'
import { serialNumbersOf } from '@despatch/contracts/administration/serial-stock'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import {
  issueSerialNumbers as issueStored,
  listSerialAccounts,
  type SerialStock,
} from '@despatch/store/serial-stock/issue'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../actor-of.ts'
import { printRunConflict, requireProvider } from '../print-problems.ts'

/** POST /serial-stock: records numbered stock that a provider has received. */
export function issueSerialNumbers(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }) => {
      const { jobType, providerId } = body
      const stock = { jobType, providerId }
      await requireProvider(db, providerId)
      const serialNumbers = serialNumbersOf(body)
      const added = await transact(db, (tx) => issue(tx, stock, serialNumbers, actorOf(caller)))
      const [account] = await listSerialAccounts(db, stock)
      if (!account) throw new Error(`The stock of ${providerId} is missing after it was issued`)
      const { issued, used, spoiled, inStock } = account
      return { ...stock, added, account: { issued, used, spoiled, inStock } }
    },
  })
}

async function issue(
  tx: Tx,
  stock: SerialStock,
  serialNumbers: readonly string[],
  actor: string,
): Promise<number> {
  const outcome = await issueStored(tx, stock, serialNumbers, actor)
  if (outcome.kind === 'taken') {
    const told = outcome.serialNumbers.join(', ')
    throw printRunConflict(
      `Another provider already has some of these serial numbers, such as ${told}`,
    )
  }
  const { added } = outcome
  if (added > 0) {
    const detail = { ...stock, added, asked: serialNumbers.length }
    await insertAuditEvent(tx, { actor, action: 'serial-stock.issued', detail })
  }
  return added
}
