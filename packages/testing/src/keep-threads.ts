// A setup file of the component tests. It is loaded before the module that starts threads.
import { createRequire } from 'node:module'

type PoolClass = typeof import('piscina').Piscina & { keepsThreads?: boolean }
type Pool = InstanceType<PoolClass>
type PoolOptions = ConstructorParameters<PoolClass>[0]

const Piscina: PoolClass = createRequire(import.meta.url)('piscina')
/** Pools whose owners have closed them, by their options. */
const idle = new Map<string, Pool[]>()

if (!Piscina.keepsThreads) {
  Object.defineProperties(Piscina, {
    keepsThreads: { value: true },
    Piscina: { value: new Proxy(Piscina, { construct: (_, [options]) => lend(options) }) },
  })
}

/**
 * Lends a pool to one owner at a time. To start a thread takes half a second of processor time, and most services start
 * one for a single letter: so the next service with the same options gets the threads of one that has closed.
 */
function lend(options: PoolOptions): Pick<Pool, 'run' | 'threads' | 'destroy'> {
  const key = JSON.stringify(options)
  const alike = idle.get(key) ?? []
  idle.set(key, alike)
  const pool = alike.pop() ?? new Piscina(options)
  let running = 0
  let closed = false
  return {
    get threads() {
      return pool.threads
    },
    async run(...task: Parameters<Pool['run']>) {
      if (closed) throw new Error('The pool is closed')
      running += 1
      try {
        return await pool.run(...task)
      } finally {
        running -= 1
      }
    },
    async destroy() {
      if (closed) return
      closed = true
      if (running > 0) await pool.destroy()
      else alike.push(pool)
    },
  }
}
