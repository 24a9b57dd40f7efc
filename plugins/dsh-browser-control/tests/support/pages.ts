/** Pages with the make-up of real ones, small: a login, a form, a shop, a dashboard, frames in frames, an article, a board drawn by a script. */

const times = (count: number, make: (index: number) => string): string => Array.from({ length: count }, (_, index) => make(index)).join('')
const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>.card{border:1px solid;display:inline-block}.grid{display:flex;flex-wrap:wrap}</style></head><body>${body}</body></html>`

const card = (i: number) =>
  `<article class="card"><h3><a href="#p${i}">Harbor lamp ${i}</a></h3><p>Made of copper and glass.</p><p>$${5 + i}.90</p><label>Qty <input type="number" value="1" min="1"></label><button>Add to cart ${i}</button> <button aria-pressed="${i % 2 === 0}">Save ${i}</button></article>`
const kpi = (i: number) =>
  `<div class="card"><div><span>Open tickets</span><button aria-label="Menu ${i}"><svg width="12" height="12"><circle cx="6" cy="6" r="4"/></svg></button></div><div><strong>${100 + i}</strong><span> 12%</span></div><svg width="180" height="40"><rect x="1" y="2" width="12" height="10"/></svg></div>`
const ticket = (i: number) =>
  `<tr><td><input type="checkbox" aria-label="Select row ${i}"></td><td><a href="#t${i}">TCK-${4000 + i}</a></td><td><span>Copper lamp</span></td><td><span>Open</span></td><td>${i} h</td><td><div><button>Edit ${i}</button><button>Close ${i}</button></div></td></tr>`
const panel = (name: string, extra = '') =>
  page(
    `Frame ${name}`,
    `<main><h2>Panel ${name}</h2><p>Sentence.</p><label>Value ${name} <input></label><button>Apply ${name}</button> <span role="status">new</span><ul>${times(3, (i) => `<li><a href="#x${i}">Entry ${i}</a></li>`)}</ul>${extra}</main>`,
  )

/** By path, for startSite(). `/part/…` are the frames of `/frames`. */
export const pagesLikeReal: Readonly<Record<string, string>> = {
  '/login': page(
    'Sign in',
    `<header><a href="/login">Acme</a></header><main><h1>Sign in</h1><p>Use your work account to continue.</p><form>
<p><label for="u">Email</label> <input id="u" name="email" type="email" autocomplete="username" required></p>
<p><label for="p">Password</label> <input id="p" name="password" type="password" autocomplete="current-password" required></p>
<p><label><input type="checkbox" id="r"> Remember me</label></p><p><button type="submit">Sign in</button> <a href="#forgot">Forgot password?</a></p><p role="alert"></p></form></main>
<footer><a href="#terms">Terms</a> <a href="#privacy">Privacy</a></footer>`,
  ),
  '/form': page(
    'Delivery details',
    `<main><h1>Delivery details</h1><form><p><label>First name <input></label></p><p><label>Phone <input type="tel"></label></p>
<p><label>Country <select><option value="">Choose</option><option value="fr">France</option></select></label></p><p><label><input type="checkbox"> Gift wrap</label></p><p><label>Notes <textarea></textarea></label></p><p><button>Save details</button></p></form></main>`,
  ),
  '/shop': page(
    'Shop',
    `<header><a href="/shop">Acme</a> <form role="search"><label>Search <input type="search"></label><button>Search</button></form><nav aria-label="Main">${times(4, (i) => `<a href="#c${i}">Category ${i}</a> `)}</nav><span role="status">Cart: <b>0</b> items</span></header>
<aside><h2>Filters</h2>${times(4, (i) => `<p><label><input type="checkbox"> Filter ${i}</label></p>`)}</aside>
<main><h1>All products</h1><label>Sort <select><option>Relevance</option><option>Price</option></select></label><div class="grid">${times(6, card)}</div></main><footer>${times(3, (i) => `<a href="#f${i}">Foot ${i}</a> `)}</footer>`,
  ),
  '/dashboard': page(
    'Dashboard',
    `<header><a href="/dashboard">Acme</a><button>Refresh data</button><span role="status">idle</span></header><aside><ul>${times(4, (i) => `<li><a href="#s${i}"><span>Side ${i}</span></a></li>`)}</ul></aside>
<main><h1>Operations</h1><div class="grid">${times(3, kpi)}</div><table><thead><tr><th></th><th>Id</th><th>Title</th><th>State</th><th>Age</th><th>Actions</th></tr></thead><tbody>${times(5, ticket)}</tbody></table></main>`,
  ),
  '/frames': page(
    'Frames',
    `<main><h1>Widgets</h1><button>Reload all</button><iframe title="One" src="/part/one" width="380" height="260"></iframe><iframe title="Two" src="/part/two" width="380" height="420"></iframe>
<iframe title="Inline" width="380" height="260" srcdoc="&lt;h2&gt;Inline&lt;/h2&gt;&lt;button&gt;Apply inline&lt;/button&gt;"></iframe><iframe id="far" title="Payment" width="380" height="260"></iframe></main>
<script>far.src = location.origin.replace('127.0.0.1', 'localhost') + '/part/payment'</script>`,
  ),
  '/part/one': panel('one'),
  '/part/two': panel('two', '<iframe title="Nested" src="/part/nested" width="340" height="160"></iframe>'),
  '/part/nested': panel('nested'),
  '/part/payment': panel('payment'),
  '/article': page(
    'The long harbour',
    `<header><nav>${times(3, (i) => `<a href="#n${i}">Nav ${i}</a> `)}</nav></header><main><article><h1>The long harbour</h1>${times(3, (s) => `<h2 id="s${s}">Part ${s}</h2><p>The ships came in. <a href="#s0">Read on</a> The end <em>of it</em>.</p><figure><img alt="Ships" width="200" height="80" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><figcaption>Ships at rest.</figcaption></figure>`)}</article></main>`,
  ),
  '/board': page(
    'Board',
    `<div id="app"></div><script>app.innerHTML='<header><h1>Board 1</h1><button id="next">Next step</button><span role="status">Step 1 ready</span></header><main><ul>'+Array.from({length:5},(_,i)=>'<li><label><input type="checkbox"> Task '+i+'</label> <button>Move '+i+'</button></li>').join('')+'</ul></main>'</script>`,
  ),
}
