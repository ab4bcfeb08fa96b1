# robots.txt for http://records.example.com/
# Records of 1994: blank lines separate them, comment lines do not.

User-agent: examplebot/1.0
User-agent: otherbot
# a comment inside the record
Disallow: /cyberworld/map/   # an infinite virtual space
Expires-maybe: never

User-agent: webcrawler
User-agent: lycra
Disallow:

Disallow: /orphan/

User-agent: *
Disallow: /tmp/
Disallow: /foo.html
Disallow: /star*literal/

Disallow: /after-blank/
Allow: /tmp/open/
