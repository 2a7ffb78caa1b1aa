import { apiKeyChangeOverdueSeconds } from '@despatch/access/change-api-key'
import { signInRetention } from '@despatch/access/sign-in-gate'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import { abandonOverdueApiKeyChanges } from '@despatch/store/access/consumer-credentials'
import { deleteOldSignIns } from '@despatch/store/access/sign-in-history'
import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { warnOfExpiringCredentials } from './expiry-warnings.ts'

const everyMs = 10 * 60 * 1000

/** Warns of credentials that expire soon, and removes what dead processes and sign-ins left behind. */
export function startHousekeeping({
  db,
  now,
  log,
}: {
  db: Db
  now: () => Date
  log: Logger
}): Repeated {
  return repeat({
    name: 'housekeeping',
    everyMs,
    onError: (error) => log.error({ err: error }, 'housekeeping.failed'),
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
  })
}
