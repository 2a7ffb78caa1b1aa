import {
  findPasswordFaults,
  passwordCharactersMax,
  passwordCharactersMin,
  sameAsCurrentFault,
} from '@despatch/domain/access/password-policy'
import { z } from 'zod'
import { customIssue, text } from '../text.ts'

/** A password that satisfies the policy. Every broken rule is reported. */
const newPassword = z
  .string()
  .check(({ value, issues }) => {
    for (const { rule, code } of findPasswordFaults(value)) {
      issues.push(customIssue({ code, message: rule }, value))
    }
  })
  .meta({
    minLength: passwordCharactersMin,
    maxLength: passwordCharactersMax,
    description:
      'Printable ASCII with a lower-case letter, an upper-case letter, a digit and a special character. Must differ ' +
      'from the current password',
  })

type Given = { password?: unknown; verifyCode?: unknown; newPassword?: unknown }

/** A caller must present either the current password or a recovery code, never both. */
export const changePasswordRequestSchema = z
  .object({
    userName: text({ min: 1, max: 255 }),
    password: text({ min: 1, max: 1_024 })
      .optional()
      .describe('Current password. Required unless verifyCode is given'),
    newPassword,
    verifyCode: text({ pattern: /^\d{6}$/ })
      .optional()
      .describe('Newest recovery code. Required unless password is given'),
    endTokens: z
      .boolean()
      .optional()
      .describe(
        'Whether JWTs that were issued before are refused. Default: false. A change with verifyCode always refuses them',
      ),
  })
  .refine(
    ({ password, verifyCode }) => password !== undefined || verifyCode !== undefined,
    fault('password', 'NotNull', 'must not be null unless verifyCode is given'),
  )
  .refine(
    ({ password, verifyCode }) => password === undefined || verifyCode === undefined,
    fault('verifyCode', 'Null', 'must be null when password is given'),
  )
  .refine(
    ({ password, newPassword: wanted }) => password === undefined || password !== wanted,
    fault('newPassword', sameAsCurrentFault.code, sameAsCurrentFault.rule),
  )

// Reported together with the violations of single fields, so that one response names them all.
function fault(field: keyof Given, code: string, message: string) {
  return {
    path: [field],
    params: { code },
    message,
    when: ({ value }: { value: unknown }) =>
      typeof value === 'object' && value !== null && !Array.isArray(value),
  }
}
