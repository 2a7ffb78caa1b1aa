import { makePaint, type Paint, type Style } from './paint.ts'

export type Actor = 'despatch' | 'consumer' | 'provider' | 'operator' | 'callback' | 'letters'

export type Screen = {
  paint: Paint
  /** True if the bottom part is redrawn in place. */
  isLive: boolean
  /** Since the start, with one decimal. */
  seconds(): string
  /** Prints one line of the story: when, who, what. Details go below it. */
  say(actor: Actor, text: string, details?: readonly string[]): void
  /** Prints lines unchanged. */
  print(...lines: string[]): void
  /** Prints a line that begins with a mark, wrapped if it is too long. */
  item(mark: string, text: string, style?: Style): void
  /**
   * Draws lines at the bottom and redraws them after every change until `settle`. Without a terminal, draws them only
   * then.
   */
  showBelow(draw: (columns: number) => string[]): void
  settle(): void
  redraw(): void
}

type Terminal = { write(text: string): unknown; isTTY?: boolean; columns?: number; rows?: number }

const actorStyles: Record<Actor, Style> = {
  despatch: 'cyan',
  consumer: 'blue',
  provider: 'magenta',
  operator: 'yellow',
  callback: 'green',
  letters: 'cyan',
}
const columnsWithoutTerminal = 120
const sayIndent = ' '.repeat(19)
const sayWidthMin = 20
const itemIndent = '   '
const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'

/** Creates the screen that shows the story of the demo: with a redrawn part on a terminal, otherwise line by line. */
export function createScreen(
  terminal: Terminal,
  {
    isLive,
    hasColour,
    elapsedMs,
  }: { isLive: boolean; hasColour: boolean; elapsedMs: () => number },
): Screen {
  const paint = makePaint(hasColour)
  let draw: ((columns: number) => string[]) | undefined
  let linesBelow = 0

  const seconds = () => (elapsedMs() / 1000).toFixed(1)
  const columns = () => (isLive ? terminal.columns : undefined) ?? columnsWithoutTerminal

  function write(lines: readonly string[]): void {
    const below = isLive && draw ? visible(draw(columns() - 1), terminal.rows) : []
    const erase = linesBelow > 0 ? `\x1b[${linesBelow}A\r\x1b[0J` : ''
    terminal.write(erase + [...lines, ...below].map((line) => `${line}\n`).join(''))
    linesBelow = below.length
  }

  return {
    paint,
    isLive,
    seconds,
    say(actor, text, details = []) {
      const width = isLive ? Math.max(columns() - sayIndent.length, sayWidthMin) : Infinity
      const [first, ...more] = wrap(text, width)
      const start = `${paint.dim(`${seconds().padStart(5)} s`)}  ${paint[actorStyles[actor]](actor.padEnd(8))}  `
      write([
        start + first,
        ...more.map((line) => sayIndent + line),
        ...details
          .flatMap((detail) => wrap(detail, width))
          .map((line) => paint.dim(sayIndent + line)),
      ])
    },
    print: (...lines) => write(lines),
    item(mark, text, style) {
      const width = isLive ? Math.max(columns() - itemIndent.length, sayWidthMin) : Infinity
      const [first, ...more] = wrap(text, width)
      const lines = [` ${mark} ${first}`, ...more.map((line) => itemIndent + line)]
      write(style ? lines.map(paint[style]) : lines)
    },
    showBelow(given) {
      draw = given
      if (!isLive) return
      terminal.write(hideCursor)
      write([])
    },
    settle() {
      const last = draw?.(columns() - 1) ?? []
      draw = undefined
      write(last)
      if (isLive) terminal.write(showCursor)
    },
    redraw() {
      if (isLive && draw) write([])
    },
  }
}

/** Lines that have scrolled off the top cannot be redrawn, so a low window shows only the last ones. */
function visible(lines: string[], rows = 24): string[] {
  return lines.slice(-Math.max(rows - 2, 1))
}

/** Breaks a text at blanks into lines of at most `width` characters. A longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ')) {
    if (line !== undefined && line.length + 1 + word.length > width) {
      lines.push(line)
      line = undefined
    }
    line = line === undefined ? word : `${line} ${word}`
  }
  return [...lines, line ?? '']
}
