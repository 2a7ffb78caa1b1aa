import { readFileSync } from 'node:fs'
import { analyzeModules, newIdGenerator, parse, type QuintEx } from '@informalsystems/quint'
import { newRng } from '@informalsystems/quint/dist/src/rng.js'
import { Evaluator } from '@informalsystems/quint/dist/src/runtime/impl/evaluator.js'
import { newTraceRecorder } from '@informalsystems/quint/dist/src/runtime/trace.js'

/** A Quint specification: a module of this folder, or a test's variation of one. */
export type Specification = { module: string; text: string }

/** Reads a module of this folder. */
export function readSpecification(name: 'print-job' | 'print-run' | 'callback'): Specification {
  const module = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return { module, text: readFileSync(new URL(`${name}.qnt`, import.meta.url), 'utf8') }
}

/**
 * Returns the errors of Quint's type checker. It is slower than parsing, which the other functions do automatically.
 */
export function findTypeErrors({ module, text }: Specification): string[] {
  const { modules, table } = parseModule(module, text)
  return analyzeModules(table, modules)[0].map(({ message }) => message)
}

/**
 * Evaluates expressions in a specification and returns the values by their names. Lists, sets and tuples become arrays;
 * the order of a set is undefined. Maps become arrays of pairs. Throws if an expression cannot be evaluated.
 */
export function evaluate<Name extends string>(
  { module, text }: Specification,
  expressions: Record<Name, string>,
): Record<Name, unknown> {
  const names = Object.keys(expressions) as Name[]
  const asked = names.map((name) => `val asked_${name} = ${expressions[name]}`).join('\n')
  const { evaluator, expressionOf } = load(module, `${text.trimEnd().slice(0, -1)}\n${asked}\n}\n`)
  const values = names.map((name) => {
    const { value } = evaluator.evaluate(expressionOf(`asked_${name}`))
    if ('message' in value) throw new Error(`${name}: ${value.message}`)
    return [name, toValue(value)]
  })
  return Object.fromEntries(values)
}

export type SimulationOutcome = {
  status: 'ok' | 'violation' | 'error'
  /** The steps of one trace: one that leads to a violation, otherwise the longest. */
  steps: unknown[]
  /** With this seed, the trace is the first one. */
  seed: bigint | undefined
  longestTrace: number
}

/** Walks randomly through a specification, from `init` by `step`, and checks `invariant` after each step. */
export function simulate(
  { module, text }: Specification,
  { traces, steps, seed }: { traces: number; steps: number; seed: bigint },
): SimulationOutcome {
  const { evaluator, expressionOf } = load(module, text, seed)
  const [init, step, invariant] = ['init', 'step', 'invariant'].map(expressionOf)
  const outcome = evaluator.simulate(init!, step!, invariant!, [], traces, steps, 1)
  const [trace] = outcome.bestTraces
  return {
    status: outcome.status,
    steps: (trace?.states ?? []).map((state) => (toValue(state) as { did: unknown }).did),
    seed: trace?.seed,
    longestTrace: outcome.traceStatistics.maxTraceLength,
  }
}

function load(module: string, text: string, seed = 1n) {
  const { modules, resolver } = parseModule(module, text)
  const rng = newRng(seed)
  const evaluator = new Evaluator(resolver.table, newTraceRecorder(0, rng, 1), rng)
  const expressionOf = (name: string): QuintEx => {
    const found = modules
      .at(-1)!
      .declarations.find((each) => each.kind === 'def' && each.name === name)
    if (found?.kind !== 'def') throw new Error(`${module} has no ${name}`)
    return found.expr
  }
  return { evaluator, expressionOf }
}

function parseModule(module: string, text: string) {
  const name = `${module}.qnt`
  const path = { normalizedPath: name, toSourceName: () => name }
  const parsed = parse(newIdGenerator(), name, path, text, new Map())
  if (parsed.errors.length > 0) {
    throw new Error(parsed.errors.map(({ code, message }) => `${code} ${message}`).join('\n'))
  }
  return parsed
}

function toValue(expression: QuintEx): unknown {
  switch (expression.kind) {
    case 'bool':
    case 'str':
      return expression.value
    case 'int':
      return Number(expression.value)
    case 'app':
      return toCompound(
        expression.opcode,
        expression.args.map((each) => toValue(each)),
      )
    default:
      throw new Error(`${expression.kind} is no value`)
  }
}

function toCompound(opcode: string, values: readonly unknown[]): unknown {
  if (opcode !== 'Rec') return values
  const fields = Array.from({ length: values.length / 2 }, (_, i) => values.slice(2 * i, 2 * i + 2))
  return Object.fromEntries(fields)
}
