import type { Script } from './conformance-case.ts'
import { isDone } from './transcript.ts'

/** The connection is cut once the work of the first call of each of these operations was done. */
export function loseFirstReply(...kinds: readonly string[]): Pick<Required<Script>, 'after'> {
  const lost = new Set<string>()
  return {
    after: (call) => {
      if (!kinds.includes(call.kind) || lost.has(call.kind) || !isDone(call)) return
      lost.add(call.kind)
      return 'reply-lost'
    },
  }
}
