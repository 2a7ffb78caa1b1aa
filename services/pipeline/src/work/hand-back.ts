import type { Db } from '@despatch/store/database'
import { postponeStep, type TakenStep } from '@despatch/store/print-job/steps'

export type HandBack = {
  /**
   * Runs the work on a leased letter and returns its outcome. If the process closes before the work has ended, hands
   * the letter back.
   */
  run<Outcome extends string>(
    step: TakenStep,
    work: () => Promise<Outcome>,
  ): Promise<Outcome | 'handed-back' | 'overtaken' | 'lost'>
  /** Starts closing: work under way has `finishMsMax` to end. */
  begin(): void
}

type HandBackOptions = {
  db: Db
  /** How long letters under way may still take to finish once the process closes, in milliseconds. */
  finishMsMax: number
  onError: (error: Error) => void
}

/**
 * Hands back the letters that a closing process does not finish in time. Another process takes them at once, and the
 * hand-back counts neither as a start nor as a failure. Later writes by the unfinished work name an old epoch and
 * change nothing. A letter that cannot be handed back is taken over when its lease expires.
 */
export function createHandBack({ db, finishMsMax, onError }: HandBackOptions): HandBack {
  const underWay = new Set<() => void>()
  let isOver = false

  async function giveBack(step: TakenStep): Promise<'handed-back' | 'overtaken' | 'lost'> {
    try {
      return (await postponeStep(db, step, 0)) ? 'handed-back' : 'overtaken'
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
      return 'lost'
    }
  }

  return {
    run: async (step, work) => {
      if (isOver) return giveBack(step)
      const { promise: over, resolve: end } = Promise.withResolvers<undefined>()
      const endIt = () => end(undefined)
      underWay.add(endIt)
      const outcome = await Promise.race([work(), over]).finally(() => underWay.delete(endIt))
      return outcome ?? giveBack(step)
    },
    begin: () => {
      setTimeout(() => {
        isOver = true
        for (const endIt of underWay) endIt()
      }, finishMsMax).unref()
    },
  }
}
