import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Watches objects without holding them. Unlike the memory of a process, their number depends on nothing else in it. */
export function watchObjects() {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const watched: WeakRef<object>[] = []

  return {
    add: (item: object) => void watched.push(new WeakRef(item)),
    /** Returns how many of them something still holds. */
    countHeld: async (): Promise<number> => {
      // an object stays until the turn ends in which it was watched
      await setImmediate()
      collectGarbage()
      return watched.filter((item) => item.deref() !== undefined).length
    },
  }
}
