/** Text that is already HTML. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Content = string | number | Markup | readonly Markup[]

/** Returns HTML. It escapes every inserted value, in text and in quoted attributes, except markup. */
export function html(literals: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(String.raw({ raw: literals }, ...contents.map(render)))
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text
  if (Array.isArray(content)) return content.map(({ text }: Markup) => text).join('')
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
