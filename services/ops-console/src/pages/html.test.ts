import { expect, test } from 'vitest'
import { html } from './html.ts'

test('escapes values, and not markup', () => {
  const cell = html`<td title="${'"\'&'}">${'<script>'}</td>`

  expect(html`<tr>${cell}${[cell]}${1}</tr>`.text).toBe(
    '<tr><td title="&#34;&#39;&#38;">&#60;script&#62;</td><td title="&#34;&#39;&#38;">&#60;script&#62;</td>1</tr>',
  )
})
