type Machine<State> = {
  starts: readonly State[]
  /** What anybody and any timer may do in this state: the names, and where each leads. */
  moves: (state: State) => readonly (readonly [name: string, to: State])[]
  /** The moves of those who are always there, such as operators and timers. A state must have its way out by them. */
  isReliable: (name: string) => boolean
  isEnd: (state: State) => boolean
}

type Walked<State> = {
  states: State[]
  /** The names of all moves that were made. */
  moves: string[]
  /** The states from which no reliable moves lead to an end. */
  stuck: State[]
}

/** A walk that does not end, because its states are too many, would be no proof. */
const statesMax = 200_000

/**
 * Walks breadth-first over every state that any moves reach, and finds those from which no sequence of reliable moves
 * leads to an end. Two states are the same if their JSON is.
 */
export function walkStates<State>(machine: Machine<State>): Walked<State> {
  const { starts, moves, isReliable, isEnd } = machine
  const known = new Map(starts.map((state) => [JSON.stringify(state), state]))
  const made = new Set<string>()
  const before = new Map<string, string[]>()
  for (const [key, state] of known) {
    if (known.size > statesMax) throw new Error(`There are more than ${statesMax} states`)
    for (const [name, to] of moves(state)) {
      const next = JSON.stringify(to)
      made.add(name)
      if (!known.has(next)) known.set(next, to)
      if (isReliable(name)) before.set(next, [...(before.get(next) ?? []), key])
    }
  }
  const out = new Set([...known].flatMap(([key, state]) => (isEnd(state) ? [key] : [])))
  for (const key of out) for (const earlier of before.get(key) ?? []) out.add(earlier)
  const stuck = [...known].flatMap(([key, state]) => (out.has(key) ? [] : [state]))
  return { states: [...known.values()], moves: [...made].toSorted(), stuck }
}
