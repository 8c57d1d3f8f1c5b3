/**
 * Snippets that send a message through this installation, one a client. They are pure data: the page shows
 * them, and test/clients/snippets.test.ts runs them unchanged.
 */

import type { Snippet, SnippetValues } from './snippet.ts'
import { mailgunSnippets } from './snippets-form.ts'
import { frameworkSnippets } from './snippets-frameworks.ts'
import { jsonSnippets } from './snippets-json.ts'
import { smtpSnippets } from './snippets-smtp.ts'

export function snippetsFor(ways: SnippetValues): Snippet[] {
  return [...jsonSnippets(ways), ...mailgunSnippets(ways), ...frameworkSnippets(ways), ...smtpSnippets(ways)]
}
