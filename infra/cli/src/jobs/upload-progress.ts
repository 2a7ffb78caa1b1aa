import type { CommandContext } from '../command-context.ts'

/** Shows how much of a file has been sent. */
export type UploadProgress = { show(bytes: number): void; end(): void }

/** Shows a bar on a terminal and nothing elsewhere, because an upload takes seconds. */
export async function showUpload(
  bytesTotal: number,
  { canDraw, isQuiet }: Pick<CommandContext, 'canDraw'> & { isQuiet: boolean },
): Promise<UploadProgress> {
  if (isQuiet || !canDraw) return { show() {}, end() {} }
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar(
    {
      format: '{bar} {percentage}% | {value} of {total} bytes | {eta} s left',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    progress.Presets.shades_classic,
  )
  bar.start(Math.max(bytesTotal, 1), 0)
  return { show: (bytes) => bar.update(bytes), end: () => bar.stop() }
}
