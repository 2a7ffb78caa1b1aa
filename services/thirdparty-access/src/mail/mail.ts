import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'

export type Mail = { to: string; subject: string; text: string }

/** A way to send mail. `send` throws if the mail was not handed over. */
export type Mailbox = {
  send(mail: Mail): Promise<void>
  close(): void
}

type MailSettings = {
  DESPATCH_SMTP_URL?: string | undefined
  DESPATCH_MAIL_FROM: string
  DESPATCH_MAIL_DIR?: string | undefined
}

/**
 * Opens the mailbox that the settings name: a server, otherwise a directory. Returns undefined if they name neither.
 */
export function openMailbox({
  DESPATCH_SMTP_URL: url,
  DESPATCH_MAIL_FROM: from,
  DESPATCH_MAIL_DIR: directory,
}: MailSettings): Mailbox | undefined {
  if (url) return openSmtpMail({ url, from })
  return directory ? openMailFiles({ directory, from }) : undefined
}

const connectTimeoutMs = 10_000
const answerTimeoutMs = 20_000

/** Opens a mailbox that sends mails through an SMTP server, encrypted if the server offers it. */
function openSmtpMail({ url, from }: { url: string; from: string }): Mailbox {
  const transport = createTransport(
    {
      url,
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: answerTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
  return {
    send: async (mail) => {
      await transport.sendMail(mail)
    },
    close: () => transport.close(),
  }
}

/**
 * Writes mails to a directory in place of sending them, for a machine without a mail server. Each mail is one .eml
 * file, written whole or not at all. File names sort in the order of the mails. Only the owner can read them.
 */
function openMailFiles({ directory, from }: { directory: string; from: string }): Mailbox {
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
