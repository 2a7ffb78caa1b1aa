import type { Problem } from '@despatch/domain/problem'

/** An error response, ready to send. */
export type WireError = {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/** Renders the problems that one API raises. Returns undefined for any other: if it is raised, that is our fault. */
type RenderProblem<Kind extends string> = {
  (problem: Problem<Kind>): WireError
  (problem: Problem): WireError | undefined
  readonly kinds: readonly Kind[]
}

/** Creates the renderer of an API from its table, which has one entry for each kind of problem that the API raises. */
export function problemRenderer<Kind extends string, Entry>(
  wire: Readonly<Record<Kind, Entry>>,
  render: (entry: Entry, problem: Problem) => WireError,
): RenderProblem<Kind> {
  const kinds = Object.keys(wire) as Kind[]
  const entries = new Map<string, Entry>(kinds.map((kind) => [kind, wire[kind]]))
  const renderProblem = (problem: Problem) => {
    const entry = entries.get(problem.kind)
    return entry && render(entry, problem)
  }
  return Object.assign(renderProblem as (problem: Problem) => WireError, { kinds })
}
