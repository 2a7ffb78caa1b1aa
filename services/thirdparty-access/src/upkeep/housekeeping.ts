import { apiKeyChangeOverdueSeconds } from '@despatch/access/change-api-key'
import { signInRetention } from '@despatch/access/sign-in-gate'
import { abandonOverdueApiKeyChanges } from '@despatch/store/access/consumer-credentials'
import { deleteOldSignIns } from '@despatch/store/access/sign-in-history'
import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { warnOfExpiringCredentials } from './expiry-warnings.ts'

const everyMs = 10 * 60 * 1000

/** Warns of credentials that expire soon, and removes what dead processes and sign-ins left behind. */
export function housekeepingTask({
  db,
  now,
  log,
}: {
  db: Db
  now: () => Date
  log: Logger
}): PeriodicTask {
  return {
    name: 'housekeeping',
    everyMs,
    pass: async () => {
      await warnOfExpiringCredentials(db, {
        now: now(),
        tell: ({ consumerId, credential, daysLeft, expiresOn }) =>
          log.warn(
            { consumerId, kind: credential, days: daysLeft, expiresOn },
            'credential.expires-soon',
          ),
      })
      await deleteOldSignIns(db, signInRetention)
      await abandonOverdueApiKeyChanges(db, apiKeyChangeOverdueSeconds)
      return 'idle'
    },
  }
}
