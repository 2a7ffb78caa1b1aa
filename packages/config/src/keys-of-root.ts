import { ConfigError } from './read-config.ts'
import { deriveKeys, keyIdOf, serviceKeys } from './service-keys.mjs'

/**
 * Returns the settings of all keys of a root, with the keys of previous roots. Throws a ConfigError if a key of the root
 * cannot be told from a previous one.
 */
export function keysOfRoot(
  rootHex: string,
  { previousRootsHex = [] }: { previousRootsHex?: readonly string[] } = {},
): Record<string, string> {
  const keys = deriveKeys(rootHex)
  const keysBefore = previousRootsHex.map(deriveKeys)
  const settings = Object.entries(serviceKeys).flatMap(([setting, { seals }]) => {
    const name = setting as keyof typeof serviceKeys
    const current = keys[name]
    const previous = seals
      ? distinct(
          current,
          keysBefore.map((each) => each[name]),
        )
      : []
    return [
      [name, current],
      ...(previous.length > 0 ? [[`${name}_PREVIOUS`, previous.join(',')]] : []),
    ]
  })
  return Object.fromEntries(settings)
}

/** Returns the previous keys without repetitions and the current key. A sealed value names its key by the key's id. */
function distinct(current: string, previous: readonly string[]): string[] {
  const others = [...new Set(previous)].filter((each) => each !== current)
  if (new Set([current, ...others].map(keyIdOf)).size <= others.length) {
    throw new ConfigError(
      'DESPATCH_SECRET_KEY yields a key with the id of a previous one: create another DESPATCH_SECRET_KEY',
    )
  }
  return others
}
