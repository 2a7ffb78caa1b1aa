import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { Run } from '../program.ts'
import { addDeriveKeysCommand } from './derive-keys.ts'
import { forRoles } from './for-roles.ts'

export function addKeyCommands(program: Command, run: Run, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('the keys that sign JWTs, and those of the services')
  addDeriveKeysCommand(program, keys, context)
  keys
    .command('rotate')
    .description(
      forRoles(
        'rotateSigningKey',
        'signs new JWTs with a new key; existing ones stay valid until they expire',
      ),
    )
    .action(() =>
      run(async ({ send }) => {
        const rotated = await send<{ kid: string }>('POST', '/signing-keys/rotate')
        return {
          document: rotated,
          text: `JWTs are signed with the key ${rotated.kid} from now on.`,
        }
      }),
    )
}
