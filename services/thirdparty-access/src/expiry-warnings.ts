import { dayAfter, dayOf } from '@despatch/access/expiry'
import { daysBetween, findDueWarning, warningDays } from '@despatch/domain/access/expiry-warning'
import {
  countExpiringCredentials,
  type ExpiringCredential,
  insertCredentialWarning,
  listExpiringCredentials,
} from '@despatch/store/access/credential-warnings'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'

export type ExpiryWarning = ExpiringCredential & { daysLeft: number }

/**
 * Calls `tell` for every password and API key that expires soon: 30, 7 and 1 days before, once each. It is safe to
 * repeat, and to run in several processes. If a process dies between the call and the commit, another process repeats
 * the warning.
 */
export async function warnOfExpiringCredentials(
  db: Db,
  { now, tell }: { now: Date; tell: (warning: ExpiryWarning) => void },
): Promise<void> {
  const today = dayOf(now)
  const expiring = await listExpiringCredentials(db, {
    from: today,
    to: dayAfter(now, Math.max(...warningDays)),
  })
  for (const credential of expiring) {
    const daysLeft = daysBetween(today, credential.expiresOn)
    const days = findDueWarning(daysLeft)
    if (days === undefined) continue
    await transact(db, async (tx) => {
      if (await insertCredentialWarning(tx, { ...credential, days })) {
        tell({ ...credential, daysLeft })
      }
    })
  }
}

/**
 * Registers the gauge of credentials that expire within 30, 7 and 1 days. It is read at each scrape, and has no samples
 * while the database cannot be read.
 */
export function registerExpiryMetrics(registry: Registry, db: Db, now: () => Date): void {
  new Gauge({
    name: 'credentials_expiring',
    help: 'Passwords and API keys of enabled consumers that expire within this number of days; expired ones are not counted',
    labelNames: ['credential', 'days'],
    registers: [registry],
    async collect() {
      const days = warningDays
      const counts = await countExpiringCredentials(db, { today: dayOf(now()), days }).catch(
        () => [],
      )
      this.reset()
      for (const { credential, days: within, count } of counts) {
        this.set({ credential, days: String(within) }, count)
      }
    },
  })
}
