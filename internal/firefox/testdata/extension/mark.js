document.documentElement.dataset.extension = "here";
