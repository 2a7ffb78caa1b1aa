import type { SealingKeys } from '@despatch/access/sealed-box'
import type { AdministrationConfig } from '../config.ts'

type Purpose = 'signing' | 'callbacks' | 'search' | 'console'

/** Returns the keys that seal, and those that they replaced, for each purpose. */
export function sealingKeysOf(config: AdministrationConfig): Record<Purpose, SealingKeys> {
  return {
    signing: {
      secretKeyHex: config.DESPATCH_KEY_SIGNING,
      previousKeysHex: config.DESPATCH_KEY_SIGNING_PREVIOUS,
    },
    callbacks: {
      secretKeyHex: config.DESPATCH_KEY_CALLBACKS,
      previousKeysHex: config.DESPATCH_KEY_CALLBACKS_PREVIOUS,
    },
    search: {
      secretKeyHex: config.DESPATCH_KEY_SEARCH,
      previousKeysHex: config.DESPATCH_KEY_SEARCH_PREVIOUS,
    },
    console: {
      secretKeyHex: config.DESPATCH_KEY_CONSOLE,
      previousKeysHex: config.DESPATCH_KEY_CONSOLE_PREVIOUS,
    },
  }
}
