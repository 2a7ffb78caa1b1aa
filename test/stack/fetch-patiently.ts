import { eventually } from '@despatch/testing/eventually'

const deadlineMs = 120_000
const pollMs = 1_000

/** Fetches again while the answer is 503: a busy machine may have no time for a proof, a dry run or evidence. */
export function fetchPatiently(url: string, init?: RequestInit): Promise<Response> {
  return eventually(
    async () => {
      const answer = await fetch(url, init)
      if (answer.status !== 503) return answer
      await answer.body?.cancel()
      return undefined
    },
    { deadlineMs, pollMs, message: `${new URL(url).pathname} is not refused for lack of time` },
  )
}
