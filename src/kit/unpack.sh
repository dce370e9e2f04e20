top=@TOP@; mkdir "./$top" && top=./$top awk '
n { if (--n || end == 1) print > f; else printf "%s", $0 > f; if (!n) close(f); next }
/^==> / { n = $2; end = $3; p = substr($0, index($0, $5) + 65)
  if (p ~ /^\/|(^|\/)\.\.(\/|$)/) { print "bad path: " p; exit 1 }
  f = ENVIRON["top"] "/" p; q = f; gsub(/\047/, "\047\"\047\"\047", q)
  d = q; sub(/\/[^\/]*$/, "", d); system("mkdir -p \047" d "\047 && : > \047" q "\047")
  if ($4 == "0755") system("chmod 755 \047" q "\047") }
' "${1:-all.txt}"
