import type { Db } from '@despatch/store/database'
import { postponeStep, type TakenStep } from '@despatch/store/print-job/steps'

export type HandBack = {
  /** Runs the work of a task and returns its outcome. The work calls `taken` with the step that it has taken. */
  run(queue: string, work: (taken: (step: TakenStep) => void) => Promise<string>): Promise<string>
  /** Starts closing: work under way has `finishMsMax` to end. */
  begin(): void
}

export type HandBackOptions = {
  db: Db
  /** How long steps under way may still take to finish once the process closes, in milliseconds. */
  finishMsMax: number
  onError: (error: Error) => void
}

/**
 * Hands back the steps that a closing process does not finish in time. Another process takes them at once, and the
 * hand-back counts neither as a start nor as a failure. Later writes by the unfinished work name an old epoch and
 * change nothing. A step that cannot be handed back is taken over when its lease expires.
 */
export function createHandBack({ db, finishMsMax, onError }: HandBackOptions): HandBack {
  const underWay = new Set<() => void>()
  let isOver = false

  async function giveBack(queue: string, step: TakenStep): Promise<string> {
    try {
      return (await postponeStep(db, step, queue, 0)) ? 'handed-back' : 'overtaken'
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
      return 'lost'
    }
  }

  return {
    run: async (queue, work) => {
      if (isOver) return 'nothing'
      let step: TakenStep | undefined
      const { promise: over, resolve: end } = Promise.withResolvers<undefined>()
      const endIt = () => end(undefined)
      underWay.add(endIt)
      const done = work((taken) => {
        step = taken
      })
      const outcome = await Promise.race([done, over]).finally(() => underWay.delete(endIt))
      if (outcome !== undefined) return outcome
      return step ? giveBack(queue, step) : 'nothing'
    },
    begin: () => {
      setTimeout(() => {
        isOver = true
        for (const endIt of underWay) endIt()
      }, finishMsMax).unref()
    },
  }
}
