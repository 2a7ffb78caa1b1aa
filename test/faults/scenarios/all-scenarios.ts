import { intakeKilledAfterCommit } from './01-intake-killed-after-commit.ts'
import { intakeKilledBeforeCommit } from './02-intake-killed-before-commit.ts'
import { commitCut } from './03-commit-cut.ts'
import { killedBeforeItTells } from './04-killed-before-it-tells.ts'
import { workersKilled } from './05-workers-killed.ts'
import { workerFrozen } from './06-worker-frozen.ts'
import { eventLoopBlocked } from './07-event-loop-blocked.ts'
import { clockOff } from './08-clock-off.ts'
import { postgresCrashes } from './09-postgres-crashes.ts'
import { sessionsEnded } from './10-sessions-ended.ts'
import { postgresFailsOver } from './11-postgres-fails-over.ts'
import { redisKilled } from './12-redis-killed.ts'
import { queuesEmptied } from './13-queues-emptied.ts'
import { redisFailsOver } from './14-redis-fails-over.ts'
import { redisFull } from './15-redis-full.ts'
import { queuesSilent } from './16-queues-silent.ts'
import { tasksRepeated } from './17-tasks-repeated.ts'
import { workerLostInARow } from './18-worker-lost-in-a-row.ts'
import { objectStoreMisbehaves } from './19-object-store-misbehaves.ts'
import { providerRepliesLost } from './20-provider-replies-lost.ts'
import { providerEventsShuffled } from './21-provider-events-shuffled.ts'
import { deletionRacesClaim } from './22-deletion-races-claim.ts'
import { hostileReceivers } from './23-hostile-receivers.ts'
import { dnsRebinding } from './24-dns-rebinding.ts'
import { diskFull } from './25-disk-full.ts'
import { rollingRestart } from './26-rolling-restart.ts'
import { upgrade } from './27-upgrade.ts'
import { typesettingLost } from './28-typesetting-lost.ts'
import type { Scenario } from './scenario.ts'

/** In the order of their numbers. */
export const scenarios: readonly Scenario[] = [
  intakeKilledAfterCommit,
  intakeKilledBeforeCommit,
  commitCut,
  killedBeforeItTells,
  workersKilled,
  workerFrozen,
  eventLoopBlocked,
  clockOff,
  postgresCrashes,
  sessionsEnded,
  postgresFailsOver,
  redisKilled,
  queuesEmptied,
  redisFailsOver,
  redisFull,
  queuesSilent,
  tasksRepeated,
  workerLostInARow,
  objectStoreMisbehaves,
  providerRepliesLost,
  providerEventsShuffled,
  deletionRacesClaim,
  hostileReceivers,
  dnsRebinding,
  diskFull,
  rollingRestart,
  upgrade,
  typesettingLost,
]
