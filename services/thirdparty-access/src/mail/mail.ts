import { openMailFiles } from './mail-files.ts'
import { openSmtpMail } from './smtp-mail.ts'

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
