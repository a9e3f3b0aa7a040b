// Loads each given module twice: as a CommonJS host does and as an ES module does.
const specifiers = process.argv.slice(2);
for (const specifier of specifiers) require(specifier);
Promise.all(specifiers.map((specifier) => import(specifier))).then((modules) => {
	console.log(modules.filter((each) => Object.keys(each).length > 0).length);
});
