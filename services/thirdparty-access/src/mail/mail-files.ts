import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Mailbox } from './mail.ts'

/**
 * Writes mails to a directory instead of sending them, for a machine without a mail server: one .eml file each, whole or
 * not at all, in the order of their names, readable by the owner only.
 */
export function openMailFiles({ directory, from }: { directory: string; from: string }): Mailbox {
  const transport = createTransport(
    { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true },
    { from },
  )
  return {
    send: async (mail) => {
      const { message } = await transport.sendMail(mail)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID()}.eml`
      const path = join(directory, name)
      await writeFile(`${path}.new`, message, { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
    close: () => transport.close(),
  }
}
