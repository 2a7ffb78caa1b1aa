import type { ListedTask } from '@despatch/work/task-runs'
import type { Finding } from './finding.ts'

const subject = 'periodic tasks'

/** Returns a finding for each task that does not succeed, or one finding that all do. */
export function judgePeriodicTasks(tasks: readonly ListedTask[]): Finding[] {
  if (tasks.length === 0) return [{ subject, state: 'skipped', found: 'no service has run yet' }]
  if (tasks.every(({ state }) => state === 'absent')) {
    return [{ subject, state: 'warning', found: 'no service runs now', mend: 'start the services' }]
  }
  const faults = tasks.flatMap((task) => judge(task) ?? [])
  const found = `all ${tasks.length} succeed`
  return faults.length > 0 ? faults : [{ subject, state: 'good', found }]
}

function judge({
  state,
  name,
  service,
  error,
  failedAt,
  lookedAt,
  seenAt,
}: ListedTask): Finding | undefined {
  const task = `${name} of ${service}`
  const mend = `read the log of ${service}: it names the task of each periodic-task.failed`
  const since = lookedAt ? `since ${lookedAt.toISOString()}` : 'yet'
  if (state === 'failing') {
    const found = `${task} failed at ${failedAt?.toISOString()} (${error}), and has not succeeded ${since}`
    return { subject, state: 'bad', found, mend }
  }
  if (state === 'late')
    return { subject, state: 'bad', found: `${task} has not run ${since}`, mend }
  if (state === 'ok') return undefined
  const found = `${task} was last reported at ${seenAt.toISOString()}`
  return { subject, state: 'warning', found, mend: `start ${service}, unless it was switched off` }
}
