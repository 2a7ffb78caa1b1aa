import { rootKeySettings } from '@despatch/config/key-settings'
import { keysOfRoot } from '@despatch/config/keys-of-root'
import { ConfigError, readConfig, withSecretsOfFiles } from '@despatch/config/read-config'
import { keySettingNames, serviceKeys } from '@despatch/config/service-keys'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'
import type { GlobalOptions, Parts } from '../program.ts'

const services = [
  ...new Set(Object.values(serviceKeys).flatMap((each) => [...each.services])),
].toSorted()
const config = z.object(rootKeySettings)

/** Adds the command that derives the keys of the services from the root. */
export function addDeriveKeysCommand(keys: Command, { program, context }: Parts): void {
  const { environment, print, note, output } = context
  keys
    .command('derive')
    .description('prints the keys of the services, derived from DESPATCH_SECRET_KEY, as NAME=value')
    .addOption(new Option('--service <name>', 'only the keys of this service').choices(services))
    .addHelpText('after', helpAboutRoot)
    .action(({ service }: { service?: string }) => {
      const names = keySettingNames(service)
      const all = Object.entries(readKeys(environment))
      const own = all.filter(([name]) => names.includes(name))
      if ('isTTY' in output && output.isTTY) {
        note(
          'These are secrets. Write them to a file that only its owner can read, not to a terminal.',
        )
      }
      const { json = false } = program.opts<GlobalOptions>()
      print(
        json
          ? JSON.stringify(Object.fromEntries(own), null, 2)
          : own.map(([name, value]) => `${name}=${value}`).join('\n'),
      )
    })
}

function readKeys(environment: CommandContext['environment']) {
  try {
    const { DESPATCH_SECRET_KEY: root, DESPATCH_SECRET_KEY_PREVIOUS: previousRootsHex } =
      readConfig(config, withSecretsOfFiles(environment))
    return keysOfRoot(root, { previousRootsHex })
  } catch (error) {
    if (error instanceof ConfigError) throw wrongUsage(error.message)
    throw error
  }
}

const helpAboutRoot = `
Reads DESPATCH_SECRET_KEY, and DESPATCH_SECRET_KEY_PREVIOUS while the root is changed, from the environment or from the files of
DESPATCH_SECRET_KEY_FILE and DESPATCH_SECRET_KEY_PREVIOUS_FILE. The lines are those of an env file.`
