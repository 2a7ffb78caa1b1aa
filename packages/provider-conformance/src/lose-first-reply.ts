import type { Script } from './conformance-case.ts'
import { isDone } from './transcript.ts'

/** Cuts the connection after the work of the first call of each of these operations. */
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
