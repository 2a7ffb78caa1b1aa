import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { createPasswordRecovery } from '@despatch/access/recover-password'
import { createPasswordCheck, createSignIn } from '@despatch/access/sign-in'
import { createSignInGate, signInLimits } from '@despatch/access/sign-in-gate'
import { openSigningKey } from '@despatch/access/signing-key'
import { openUsageLimits, sourcesOf } from '@despatch/access/usage-limits'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { startPeriodicTasks } from '@despatch/work/periodic-tasks'
import { createThirdpartyAccessApi } from './api.ts'
import type { ThirdpartyAccessConfig } from './config.ts'
import { openMailbox } from './mail/mail.ts'
import { createRecoveryMail } from './mail/recovery-mail.ts'
import { registerExpiryMetrics } from './upkeep/expiry-warnings.ts'
import { housekeepingTask } from './upkeep/housekeeping.ts'

const name = 'thirdparty-access'
const connectionsMax = 4

export async function createThirdpartyAccess(
  config: ThirdpartyAccessConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const database = parts.adopt(openDatabase(config.DATABASE_URL, { name, connectionsMax }), close)
  const { db, pool } = database
  const signInKey = { secretKeyHex: config.DESPATCH_KEY_SIGN_IN }
  const metrics = createMetrics(name)
  registerClockSkew(metrics, { pool, now })
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const mailbox = parts.adopt(openMailbox(config), close)
  if (!mailbox) log.warn('recovery-mail.not-set-up')
  const gate = createSignInGate({ db, ...signInKey, limits: signInLimits(config) })
  const check = await createPasswordCheck()
  const recovery = createPasswordRecovery({ db, gate, check, ...signInKey, now })
  const recoveryMail = parts.adopt(
    mailbox && createRecoveryMail({ recovery, mailbox, log, metrics }),
    close,
  )
  registerExpiryMetrics(metrics, db, now)
  const signingKey = await openSigningKey({
    db,
    secretKeyHex: config.DESPATCH_KEY_SIGNING,
    previousKeysHex: config.DESPATCH_KEY_SIGNING_PREVIOUS,
    now,
  })
  parts.adopt(
    startPeriodicTasks([housekeepingTask({ db, now, log })], { db, service: name, log }),
    close,
  )
  const usage = parts.adopt(
    openUsageLimits({
      service: name,
      database,
      settings: config,
      sources: sourcesOf(config),
      log,
      metrics,
    }),
    close,
  )
  const api = parts.adopt(
    await createThirdpartyAccessApi({
      db,
      signIn: createSignIn({ db, gate, check, now }),
      recovery,
      recoveryMail,
      signingKey,
      authenticateCaller: createAuthenticator({ db, now }),
      limit: usage.limit,
      listen: listenOptions(config),
      now,
      log,
      metrics,
      ready,
    }),
    close,
  )
  const opened = parts.move()
  return { name, api, ready, metrics, close: () => opened.disposeAsync() }
}
