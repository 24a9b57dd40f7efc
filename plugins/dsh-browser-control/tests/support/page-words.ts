/** Which fields of results may hold words of a page, its server or an address, by their last name: knowledge/untrusted-text.md. */

/** Whoever writes a page may choose what is in these. A role may be the tag name of a custom element, a method that of a request. */
export const PAGE_WORDS: ReadonlySet<string> = new Set(
  [
    'text title name names message value checked selected shown role key',
    'url navigated_to navigating_to redirectedFrom document frame blocked_windows unbegun_downloads domain path stayed',
    'request pending waiting_for failed_requests method error console_errors problem',
  ].flatMap((line) => line.split(' ')),
)

/** Ids, words of ours and of Chrome: nothing of a page is ever in these. */
export const OUR_WORDS: ReadonlySet<string> = new Set(
  'tab targetId ref kind state next left_out not_drawn more level time type endpoint product profile notes matched opener expires sameSite partitioned'.split(
    ' ',
  ),
)
