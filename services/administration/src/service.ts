import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { createConsoleSessions } from '@despatch/access/console-session'
import { numberHasher } from '@despatch/access/enquiry-number'
import { keyedHash } from '@despatch/access/keyed-hash'
import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { createPasswordCheck, createSignIn } from '@despatch/access/sign-in'
import { createSignInGate, signInLimits } from '@despatch/access/sign-in-gate'
import { signingKeyBox } from '@despatch/access/signing-key'
import { openUsageLimits, sourcesOf } from '@despatch/access/usage-limits'
import { startComposers } from '@despatch/composer/composers'
import { createSemaphore } from '@despatch/composer/semaphore'
import { allowsLocalAccounts } from '@despatch/config/shared-settings'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { openLetterTemplates } from '@despatch/letters/letter-templates'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { manageQueues } from '@despatch/queue/manage-queues'
import { openDatabase } from '@despatch/store/database'
import { readTemplateFiles } from '@despatch/store/template/versions'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { recordWaits } from '@despatch/telemetry/wait-metrics'
import { startTypesetters } from '@despatch/templates/typesetters'
import { startPeriodicTasks } from '@despatch/work/periodic-tasks'
import { createAdministrationApi } from './api.ts'
import { bulkActionTask } from './bulk-action/runner.ts'
import type { AdministrationConfig } from './config.ts'
import { openOidc } from './oidc/oidc.ts'
import { recordFailedSignIn } from './operations/create-session.ts'
import { createOperatorAuthenticator } from './operator/access.ts'
import { searchTermsTask } from './print-job/write-search-terms.ts'
import { createRecordSetPublisher } from './record-set/publisher.ts'
import { recordSetTask } from './record-set/sweep.ts'
import { resealTask } from './sealed-value/reseal-sweep.ts'
import { createResealer } from './sealed-value/reseal-value.ts'
import { sealingKeysOf } from './sealed-value/sealing-keys.ts'

const name = 'administration'
// Enough for two record sets that are loaded and two that are published, besides the requests of operators.
const connectionsMax = 8
// Operators view few letters, and one operator uses one thread at a time, so that a slow letter delays no other
// operator. A console page requests all pages of one letter.
const threadsMax = 2
const lettersWaitingMax = 32
/** Each export keeps a connection to the object store while it is sent. One operator gets all of them but one. */
const exportsMax = 4
/** Its files are in memory while a template is checked. */
const templatesMax = 2
const templatesWaitingMax = 2
/** The gateway and the console wait 60 s. */
const publishingMsMax = 50_000

export async function createAdministration(
  config: AdministrationConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const oidc = openOidc(config, now)
  await using parts = new AsyncDisposableStack()
  const database = parts.adopt(openDatabase(config.DATABASE_URL, { name, connectionsMax }), close)
  const { db, pool } = database
  const metrics = createMetrics(name)
  registerClockSkew(metrics, { pool, now })
  const objects = parts.adopt(openObjectStore(objectStoreFrom(config)), close)
  const usage = parts.adopt(
    openUsageLimits({
      service: name,
      database,
      settings: { QUEUE_URL: config.QUEUE_URL, DESPATCH_LIMITS_WHEN_STORE_DOWN: 'pass' },
      sources: sourcesOf(config),
      log,
      metrics,
    }),
    close,
  )
  const queues = parts.adopt(
    manageQueues({
      url: config.QUEUE_URL ?? config.DATABASE_URL,
      onError: (error) => log.error({ err: error }, 'administration.queue-trouble'),
    }),
    close,
  )
  const keys = sealingKeysOf(config)
  const searchHasher = searchHasherSource({
    db,
    box: searchKeyBox(keys.search.secretKeyHex, keys.search.previousKeysHex),
  })
  const tasks = parts.adopt(
    startPeriodicTasks(
      [
        resealTask({
          db,
          log,
          metrics,
          resealer: createResealer(keys),
          hasPreviousKeys: keys.callbacks.previousKeysHex.length > 0,
        }),
        recordSetTask({ db, log }),
        searchTermsTask({ db, hasherOf: searchHasher }),
        bulkActionTask({ db, log, metrics, now }),
      ],
      { db, service: name, log },
    ),
    close,
  )
  const publisher = parts.adopt(createRecordSetPublisher({ db, pool, log }), close)
  const composers = parts.adopt(startComposers({ threadsMax }), close)
  const typesetters = parts.adopt(startTypesetters({ processesMax: threadsMax }), close)
  const templates = openLetterTemplates({
    readFiles: (name) => readTemplateFiles(db, name),
    typesetters,
  })
  const onWaited = recordWaits(metrics)
  const exportSemaphore = createSemaphore({
    permits: exportsMax,
    waitingMax: 0,
    // A file that is being sent cannot begin again.
    sliceMs: Number.POSITIVE_INFINITY,
    reservesLast: true,
    onWaited,
  })
  const limits = {
    semaphore: createSemaphore({
      permits: threadsMax,
      waitingMax: lettersWaitingMax,
      reservesLast: true,
      onWaited,
    }),
    timeoutMs: config.DESPATCH_CHECK_TIMEOUT_MS,
  }
  const publishingLimits = {
    semaphore: createSemaphore({
      permits: templatesMax,
      waitingMax: templatesWaitingMax,
      // A long check that always begins again would never end. Its letters yield to others.
      sliceMs: Number.POSITIVE_INFINITY,
      reservesLast: true,
      onWaited,
    }),
    timeoutMs: publishingMsMax,
  }
  // The object store is not checked: only letters require it, and operators need everything else during its outage.
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const sessions = createConsoleSessions({
    db,
    ...keys.console,
    allowsLocalAccounts: allowsLocalAccounts(config),
    now,
  })
  const gate = createSignInGate({
    db,
    secretKeyHex: config.DESPATCH_KEY_SIGN_IN,
    limits: signInLimits(config),
  })
  const signIn = createSignIn({
    db,
    gate,
    check: await createPasswordCheck(),
    now,
    onFailure: (consumerId) => recordFailedSignIn(db, consumerId),
  })
  const api = parts.adopt(
    await createAdministrationApi({
      db,
      pool,
      publisher,
      nudgeBulkActions: () => tasks.nudge('bulk-actions'),
      secondPersonAbove: config.DESPATCH_BULK_SECOND_PERSON_ABOVE,
      queues,
      usage: usage.store,
      objects,
      composers,
      templates,
      letterMakers: { typesetters, makeDocument: composers.makeDocument },
      limits,
      publishingLimits,
      exportSemaphore,
      log,
      metrics,
      ready,
      authenticate: createOperatorAuthenticator({
        authenticate: createAuthenticator({ db, now }),
        sessions,
      }),
      signIn,
      sessions,
      oidc,
      environment: config.DESPATCH_ENVIRONMENT,
      listen: listenOptions(config),
      // Operators have no usage plan here.
      limit: ({ caller, ip }) => (caller ? undefined : usage.limit({ ip })),
      signingKeys: signingKeyBox(keys.signing.secretKeyHex, keys.signing.previousKeysHex),
      hashNumber: numberHasher(config.DESPATCH_KEY_ENQUIRIES),
      hashFilters: keyedHash(config.DESPATCH_KEY_SEARCH, 'filters of a bulk action'),
      searchHasher,
      now,
    }),
    close,
  )
  const opened = parts.move()
  return { name, api, ready, metrics, close: () => opened.disposeAsync() }
}
